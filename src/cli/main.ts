#!/usr/bin/env node
import { endWithParent, restart, wantsRestart } from './restart.ts';

if (wantsRestart(process.argv.slice(2), process.env)) {
  restart();
} else {
  endWithParent();
  await import('./command-line.ts');
}
