import { describe, expect, it } from 'vitest';
import { wantsRestart } from './restart.ts';

const isGnu =
  process.platform === 'linux' && JSON.stringify(process.report.getReport()).includes('glibcVersionRuntime');

describe('a process with other settings', () => {
  it.each(['run', 'tune', 'demo'])('is wanted by %s, where the GNU library reads them', verb => {
    expect(wantsRestart([verb, 'pipeline.ts'], {})).toBe(isGnu);
    expect(wantsRestart([verb], { GLIBC_TUNABLES: 'glibc.malloc.arena_max=2' })).toBe(isGnu);
  });

  it.each([
    ['by verbs that run no pipeline', ['info', 'run'], {}],
    ['by verbs that run another program', ['tune', '--', 'python', 'train.py'], {}],
    ['where one asks what a verb does', ['run', '--help'], {}],
    ['where there is no verb', [], {}],
    ['by a process that was started for it', ['run', 'pipeline.ts'], { VENTURI_RESTARTED: '1' }],
    ['under a debugger', ['run', 'pipeline.ts'], { NODE_OPTIONS: '--inspect-brk' }],
    ['where it is there', ['run', 'pipeline.ts'], { GLIBC_TUNABLES: 'glibc.malloc.mxfast=0' }],
    ['against what the user set', ['run', 'pipeline.ts'], { GLIBC_TUNABLES: 'glibc.malloc.mxfast=64:glibc.cpu.x=1' }],
  ])('is not wanted %s', (_, args, env) => {
    expect(wantsRestart(args, env)).toBe(false);
  });
});
