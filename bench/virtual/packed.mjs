/** Virtual pipelines recorded by the packed package. */
import { METRICS } from 'venturi/model';
import { Line, VirtualClock } from 'venturi/simulation';
import { createRun, openLane } from 'venturi/store';
import { runVirtually } from './pipeline.mjs';

export const recordVirtually = (folder, description) =>
  runVirtually(folder, description, { VirtualClock, Line, createRun, openLane, METRICS });
