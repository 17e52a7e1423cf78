#!/usr/bin/env node
import { heedParent, restart, wantsRestart } from './restart.ts';

const start = async (): Promise<void> => {
  await import('./command-line.ts');
};

if (wantsRestart(process.argv.slice(2), process.env, process.execArgv)) {
  restart(start);
} else {
  heedParent();
  await start();
}
