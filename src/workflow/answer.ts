import type { Report } from '../report/tree.ts';

/** What a verb found out: as data for programs, and as a report for people. */
export interface Answer<T extends object = object> {
  readonly result: T;
  report(): Report;
}
