import { parentPort } from 'node:worker_threads';
import { type BusyTask, workWithOthers } from './busy-threads.ts';
import { type FreshPageTask, touchFreshPages } from './fresh-page.ts';
import { type TransferTask, transfer } from './transfer.ts';
import { type WakeTask, wakeEachOther } from './wake.ts';

/** What a thread can be asked to do. */
export type Task = TransferTask | WakeTask | FreshPageTask | BusyTask;

function done(task: Task): unknown {
  switch (task.kind) {
    case 'send':
    case 'receive':
      return transfer(task);
    case 'call':
    case 'answer':
      return wakeEachOther(task);
    case 'touch':
      return touchFreshPages();
    case 'copy':
    case 'chained':
    case 'independent':
      return workWithOthers(task);
  }
}

parentPort?.on('message', (task: Task) => parentPort?.postMessage(done(task)));
