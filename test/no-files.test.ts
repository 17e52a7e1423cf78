import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Workshop } from './fixtures/workshop.ts';

const shop = new Workshop();

afterAll(() => shop.remove());

const pipe = (name: string): void => void execFileSync('mkfifo', [shop.path(name)]);

/** One that hangs is killed, and shows it by its code: 137. */
const HANGS_MS = 60_000;

async function venturi(args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const started = shop.startVenturi(args);
  const killer = setTimeout(() => started.child.kill('SIGKILL'), HANGS_MS);
  try {
    return await started.finished;
  } finally {
    clearTimeout(killer);
  }
}

const PLAN = /VENTURI_PLAN_UNREADABLE: .* is no plan: /;

const REFUSED: readonly (readonly [about: string, code: number, says: RegExp, args: readonly string[]])[] = [
  ['a pipe as run.json', 3, /VENTURI_RUN_UNREADABLE: .*it is a pipe, not a file/s, ['diagnose', 'piped.venturi']],
  ['a pipe as a run', 3, /VENTURI_RUN_UNREADABLE: .*a pipe, not a file/, ['info', 'pipe']],
  ['a pipe as a plan', 2, new RegExp(`${PLAN.source}it is a pipe`), ['run', 'few.ts', '--plan', 'pipe']],
  [
    'an endless device as a plan',
    2,
    new RegExp(`${PLAN.source}it is a device`),
    ['run', 'few.ts', '--plan', '/dev/zero'],
  ],
  [
    'a plan of a terabyte',
    2,
    new RegExp(`${PLAN.source}it has more than the 16 MiB`),
    ['run', 'few.ts', '--plan', 'huge'],
  ],
  ['a folder as a plan', 2, new RegExp(`${PLAN.source}it is a folder`), ['run', 'few.ts', '--plan', 'folder']],
  ['a pipe as a checkpoint', 3, /VENTURI_CHECKPOINT_UNREADABLE: .*it is a pipe/, ['run', 'few.ts', '--resume', 'pipe']],
  ['a pipe as a pipeline', 2, /VENTURI_NOT_A_PIPELINE: .*it is a pipe/, ['run', 'pipe.ts']],
  ['a pipe that a pipeline imports', 2, /VENTURI_PIPELINE_SYNTAX: .*it is a pipe/s, ['run', 'imports.ts']],
  [
    'a pipe as text',
    2,
    /VENTURI_SOURCE_UNREADABLE: .*it is a pipe.*written to one first/s,
    ['run', 'lines.ts', '--param', 'file=pipe'],
  ],
  [
    'a link to nothing as text',
    2,
    /VENTURI_SOURCE_UNREADABLE: .*it is a symbolic link/,
    ['run', 'lines.ts', '--param', 'file=dangling'],
  ],
  ['a pipe as an archive', 2, /VENTURI_SOURCE_UNREADABLE: .*it is a pipe/, ['run', 'tar.ts']],
  ['a pipe as a table', 2, /VENTURI_SOURCE_UNREADABLE: .*it is a pipe/, ['run', 'parquet.ts']],
  ['a pipe as a list of objects', 2, /VENTURI_SOURCE_UNREADABLE: .*it is a pipe/, ['run', 'objects.ts']],
  [
    'a pipe without a reader for dead letters',
    2,
    /VENTURI_RUN_UNWRITABLE: .*ENXIO/,
    ['run', 'skips.ts', '--dead-letter', 'pipe'],
  ],
];

describe('what is no file in the place of one is refused at once, and never waited for', () => {
  beforeAll(() => {
    pipe('pipe');
    pipe('pipe.ts');
    mkdirSync(shop.path('piped.venturi/lanes'), { recursive: true });
    pipe('piped.venturi/run.json');
    mkdirSync(shop.path('folder'));
    symlinkSync('nowhere', shop.path('dangling'));
    shop.write('huge', '');
    truncateSync(shop.path('huge'), 2 ** 40);
    shop.pipeline('few.ts', 'range(10)');
    shop.pipeline('skips.ts', "range(10).map(x => { throw new Error('no'); }, { onError: 'skip' })");
    shop.write('imports.ts', "import x from './pipe.ts';\nexport default x;\n");
    const reading = (name: string, expression: string): string =>
      shop.write(
        name,
        `import { lines, objects, parquet, pipeline, tar } from 'venturi/engine';\nexport default pipeline(import.meta, { file: 'pipe' }, ({ file }) => ${expression});\n`,
      );
    reading('lines.ts', 'lines(file)');
    reading('tar.ts', 'tar(file)');
    reading('parquet.ts', 'parquet(file)');
    reading('objects.ts', 'objects({ manifest: file })');
  });

  it.each(REFUSED)('%s', async (_, code, says, args) => {
    const ended = await venturi(args);
    expect(ended.stderr).toMatch(says);
    expect(ended.stderr).toMatch(/^→ ./m);
    expect(ended.code).toBe(code);
  });

  it.each(['pipe', 'folder'] as const)('a %s in the place of a cache', async kind => {
    const folder = `cache-${kind}`;
    shop.pipeline(`${folder}.ts`, `range(10).cache({ folder: '${folder}', version: 1 })`);
    expect((await venturi(['run', `${folder}.ts`])).code).toBe(0);
    const [file = ''] = readdirSync(shop.path(folder));
    rmSync(shop.path(`${folder}/${file}`));
    if (kind === 'pipe') pipe(`${folder}/${file}`);
    else mkdirSync(shop.path(`${folder}/${file}`));
    const { code, stderr } = await venturi(['run', `${folder}.ts`]);
    expect(stderr).toMatch(
      new RegExp(`VENTURI_CACHE_UNUSABLE: .*it is a ${kind}, not a file\n→ remove what is in the place`),
    );
    expect(code).toBe(2);
  });

  it('a pipe among the lanes of a run, which is read without it', async () => {
    await shop.record('few.ts', 'whole', '--param', 'n=10');
    pipe('whole.venturi/lanes/0.lane');
    writeFileSync(shop.path('whole.venturi/lanes/1.lane'), '');
    const { code, stdout } = await venturi(['info', 'whole', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).problems).toContainEqual({
      code: 'VENTURI_WARN_LANE_SKIPPED',
      message: 'lanes/0.lane was passed over: it is a pipe, not a file.',
    });
  });
});
