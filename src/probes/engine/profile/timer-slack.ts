import { readlinkSync, writeFileSync } from 'node:fs';
import { NS_PER_SECOND } from '../../../model/units.ts';

/**
 * V8's tracing samples every 100 µs, whatever one asks for. Its sampling thread sleeps in between, and the kernel may let a sleep last
 * longer by the thread's timer slack, which a thread inherits from the one that starts it: the slack sets the rate.
 */
const SLEEP_NS = 100_000;
/** Of every thread, unless told otherwise (prctl(2), PR_SET_TIMERSLACK). */
const USUAL_SLACK_NS = 50_000;

/** The slack with which about `rate` samples are taken in a second. */
export const slackFor = (rate: number): number => Math.max(1, Math.round(NS_PER_SECOND / rate) - SLEEP_NS);

/** This thread's number, as the kernel has it. Linux only. */
export const kernelThread = (): number => Number(readlinkSync('/proc/thread-self').split('/').at(-1));

/** Of the calling thread, and of those it starts from now on. */
export const setSlack = (ns: number = USUAL_SLACK_NS): void =>
  writeFileSync(`/proc/${kernelThread()}/timerslack_ns`, String(ns));
