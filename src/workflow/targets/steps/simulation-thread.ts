import { parentPort, workerData } from 'node:worker_threads';
import type { ScaleoutRequest } from '../../../prediction/scaleout/request.ts';
import type { ScaleoutProfile } from '../../../prediction/scaleout/step.ts';
import { ScaleoutJob, type ScaleoutTask } from '../../../prediction/scaleout/tasks.ts';

/** A thread of a forecast: does the simulations it is asked for, one at a time. */
const { profile, request } = workerData as { readonly profile: ScaleoutProfile; readonly request: ScaleoutRequest };
const job = new ScaleoutJob(profile, request);

parentPort?.on('message', (task: ScaleoutTask) => parentPort?.postMessage(job.run(task)));
