import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { deep, quick as it, quickIf } from './fixtures/depth-tests.ts';
import { CLI, pause, Workshop } from './fixtures/workshop.ts';

const shop = new Workshop();

/** Every byte of a folder, and the names in it. */
function bytesOf(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true, encoding: 'utf8' })
    .map(entry => `${entry.name}\n${entry.isFile() ? readFileSync(join(entry.parentPath, entry.name), 'latin1') : ''}`)
    .join('\n');
}

const sizeOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true, encoding: 'utf8' })
    .filter(entry => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);

beforeAll(() => {
  shop.pipeline(
    'even.ts',
    "range(p.n).filter((x: number) => x % 2 === 0, { name: 'even' }).map(x => x + 1, { name: 'next' })",
  );
  shop.pipeline(
    'endless.ts',
    "range(p.n).map((x: number) => x * 2, { name: 'double', parallelism: 2 })",
    '',
    '{ n: 1e15 }',
  );
});

afterAll(() => shop.remove());

describe('venturi', () => {
  it('alone says what to do first', async () => {
    const { code, stdout, stderr } = await shop.venturi();
    expect(stdout).toMatch(/venturi demo/);
    expect(stdout).toMatch(/venturi run/);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('says what works here', async () => {
    const [text, json] = await Promise.all([shop.venturi('doctor'), shop.venturi('doctor', '--json')]);
    expect(text.stdout).toMatch(/checks are fine here/);
    expect([text.code, json.code]).toEqual([0, 0]);
    const { schemaVersion, checks, host } = JSON.parse(json.stdout);
    expect(schemaVersion).toBe(1);
    expect(checks.length).toBeGreaterThan(5);
    expect(host.coresUsable).toBeGreaterThan(0);
  });

  deep('shows a demo: what a pipeline was, what limited it, what was changed and gained', async () => {
    const { code, stdout } = await shop.venturi('demo', '--images', '24', '--for', '1s', '--folder', 'demo');
    expect(code).toBe(0);
    // Lines are broken where the terminal ends.
    const headline = stdout.replaceAll(/\s+/g, ' ');
    expect(headline, stdout).toMatch(
      /^(On the [\d.]+ of \d+ cores that other programs leave: )?(\d[^:]* times as fast|Nothing to change: )/,
    );
    expect(stdout).toMatch(/^As it was/m);
    expect(stdout).toMatch(/^ +[●◆] decode +█/m);
    expect(stdout).toMatch(/^ +as it is +\d/m);
    // A second demo in the same folder starts over.
    const again = await shop.venturi('demo', '--images', '24', '--for', '1s', '--folder', 'demo', '--json');
    expect(again.code).toBe(0);
    const { schemaVersion, diagnosis, tuning } = JSON.parse(again.stdout);
    expect(schemaVersion).toBe(1);
    expect(diagnosis.rows.find(({ id }: { id: string }) => id === 'decode').elementsIn).toBeGreaterThan(0);
    expect(tuning.before.recording).toMatch(/demo\/runs\/\d+-as-it-is(-again-\d+)?\.venturi$/);
    expect(existsSync(shop.path('demo/plan.json'))).toBe(true);
  });
});

describe('venturi run', () => {
  it('counts what came out, in words and as JSON', async () => {
    const { code, stdout, stderr } = await shop.venturi('run', 'even.ts', '--param', 'n=1001');
    expect(stderr).toMatch(/^running even\.ts: 3 operators in 1 stage$/m);
    expect(stderr).toMatch(/^completed: 501 elements/m);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    const json = await shop.venturi('run', 'even.ts', '--param', 'n=1001', '--epochs', '3', '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({
      schemaVersion: 1,
      status: 'completed',
      elements: 1503,
      warnings: [],
    });
    expect(json.code).toBe(0);
  });

  it.each(['plain.js', 'plain.mjs', 'plain.cjs', 'common/plain.js'])(
    'takes JavaScript from a folder in which no package can be found: %s',
    async file => {
      const isCommon = file.endsWith('.cjs') || file.startsWith('common/');
      if (isCommon) shop.write('common/package.json', '{ "type": "commonjs" }');
      const steps = isCommon ? './steps.cjs' : './steps.js';
      shop.write(
        'steps.js',
        "import { basename } from 'node:path';\nimport { range } from 'venturi/engine';\nexport const here = basename(import.meta.url);\nexport const first = n => range(n);\n",
      );
      for (const folder of ['', 'common/']) {
        shop.write(
          `${folder}steps.cjs`,
          "const { basename } = require('node:path');\nconst { range } = require('venturi/engine');\nmodule.exports = { here: basename(__dirname + '/' + basename(__filename, '.cjs') + '.js'), first: n => range(n) };\n",
        );
      }
      const body = '({ n = 10 }) => first(n).map(x => here === "steps.js" ? x : [].oops.oops)';
      shop.write(
        file,
        isCommon
          ? `const { first, here } = require('${steps}');\nmodule.exports = ${body};\n`
          : `#!/usr/bin/env node\nimport { first, here } from '${steps}';\nexport default ${body};\n`,
      );
      const { code, stdout, stderr } = await shop.venturi('run', file, '--param', 'n=70', '--json');
      expect(code, stderr).toBe(0);
      expect(JSON.parse(stdout).elements).toBe(70);
    },
  );

  it('keeps what a file knows about itself, and the modules it imports', async () => {
    shop.write(
      'lib/where.ts',
      'export const url = import.meta.url;\nexport const { dirname, filename } = import.meta;\n',
    );
    shop.write('lib/old.js', 'export const old = import.meta.url;\n');
    shop.write('lib/limit.json', '{ "limit": 7 }\n');
    shop.pipeline(
      'self.ts',
      "range(limit).map(() => [import.meta.url, url, old, dirname, filename].join('\\n') === wanted ? 1 : [][0].no)",
      `import { dirname, filename, url } from './lib/where.ts';
import { old } from './lib/old.js';
import { limit } from './lib/limit.json';
const wanted = ['self.ts', 'lib/where.ts', 'lib/old.js'].map(name => 'file://${shop.folder}/' + name)
  .concat('${shop.folder}/lib', '${shop.folder}/lib/where.ts').join('\\n');`,
    );
    const { code, stdout, stderr } = await shop.venturi('run', 'self.ts', '--json');
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout).elements).toBe(7);
  });

  it('keeps stdout for the JSON, whatever the pipeline prints', async () => {
    shop.pipeline(
      'chatty.ts',
      "range(p.n).map(x => { console.log('working on', x); return x; })",
      "console.log('imported');",
      '{ n: 20 }',
    );
    const { code, stdout, stderr } = await shop.venturi('run', 'chatty.ts', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ elements: 20 });
    expect(stderr).toMatch(/working on 19\n/);
    expect(code).toBe(0);
    const plain = await shop.venturi('run', 'chatty.ts');
    expect(plain.stdout).toMatch(/working on 19\n/);
  });

  it('ends quietly when nobody reads its output any more', async () => {
    shop.pipeline('chatty.ts', "range(p.n).map(x => { console.log('working on', x); return x; })", '', '{ n: 20 }');
    const command = `"${process.execPath}" "${CLI}" run chatty.ts --param n=200000 | head -1; echo "\${PIPESTATUS[0]}"`;
    const { stdout, stderr } = await shop.start('bash', ['-c', command]).finished;
    expect(stdout).toBe('working on 0\n0\n');
    expect(stderr).not.toMatch(/error|EPIPE|\n {4}at /);
    expect(shop.leftovers()).toEqual([]);
  });

  it('does its work when nobody listens to it', async () => {
    shop.pipeline('written.ts', "range(p.n).writeJsonl('written.jsonl')", '', '{ n: 20 }');
    const command = `"${process.execPath}" "${CLI}" run written.ts 2>&1 | true; echo "\${PIPESTATUS[0]}"`;
    const { stdout } = await shop.start('bash', ['-c', command]).finished;
    expect(stdout).toBe('0\n');
    expect(readFileSync(shop.path('written.jsonl'), 'utf8').split('\n')).toHaveLength(21);
  });

  quickIf(existsSync('/dev/full'))('says so when its output cannot be written', async () => {
    const { stdout, stderr } = await shop.start('bash', ['-c', `"${process.execPath}" "${CLI}" > /dev/full; echo $?`])
      .finished;
    expect(stdout).toBe('2\n');
    expect(stderr).toMatch(/standard output cannot be written: .*ENOSPC/);
  });

  it('tells where a function of the pipeline threw', async () => {
    shop.write(
      'boom.ts',
      `import { pipeline, range } from 'venturi/engine';

interface Thing { readonly a: number }

/** A comment that
 * moves lines. */
function explode(x: number): Thing {
  if (x === 77) throw new RangeError('seventy-seven');
  return { a: x };
}

export default pipeline(import.meta, { n: 1000 }, ({ n }) =>
  range(n).map(x => x, { name: 'pass' }).map(explode, { name: 'boom', parallelism: 2 }));
`,
    );
    const { code, stderr, stdout } = await shop.venturi('run', 'boom.ts', '--record', 'boom', '--json');
    expect(stderr).toMatch(/error VENTURI_USER_FUNCTION: 'boom' threw on element 77: RangeError: seventy-seven\n/);
    expect(stderr).toMatch(/\n {4}at explode \(.*\/boom\.ts:8:\d+\)\n/);
    expect(stderr).toMatch(/\/boom\.ts:13\n/);
    expect(JSON.parse(stdout).error.code).toBe('VENTURI_USER_FUNCTION');
    expect(code).toBe(5);
    expect(await shop.info('boom')).toMatchObject({ complete: true, status: 'failed' });
    expect((await shop.venturi('info', 'boom')).stdout).toMatch(/It failed with VENTURI_USER_FUNCTION/);
  });

  it('stops after a while when told to', async () => {
    const { info, result } = await shop.record('endless.ts', 'for', '--for', '300ms');
    expect(result.status).toBe('stopped');
    expect(info.status).toBe('stopped');
    // A timer of that length would fire at once.
    const started = shop.startVenturi(['run', 'endless.ts', '--for', '1000h']);
    await started.says(/^running/m);
    await pause(300);
    expect(started.child.exitCode).toBe(null);
    started.child.kill('SIGTERM');
    expect((await started.finished).code).toBe(143);
  });
});

describe('a recording', () => {
  it('is made, and shown in words and as JSON', async () => {
    const { code, stdout, stderr } = await shop.venturi('run', 'even.ts', '--record', 'first');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^first: 500 elements in /);
    expect(stderr).toMatch(/^recorded in first\.venturi; what limits it: venturi diagnose first\.venturi$/m);
    expect(existsSync(shop.path('first.venturi/run.json'))).toBe(true);
    const words = await shop.venturi('info', 'first');
    expect(words.stdout).toMatch(/^ +even +\d.*500 +1\.00 k/m);
    expect(words.stderr).toBe('');
    expect(words.code).toBe(0);
    const info = await shop.info('first.venturi/');
    expect(info).toMatchObject({ schemaVersion: 1, name: 'first', complete: true, status: 'completed', problems: [] });
    expect(info.totals.elements).toBe(500);
  });

  it('is found by its name where something else has that name', async () => {
    mkdirSync(shop.path('second'));
    await shop.record('even.ts', 'second');
    expect(await shop.info('second')).toMatchObject({ name: 'second', status: 'completed' });
  });

  it('is not written over another', async () => {
    await shop.record('even.ts', 'kept');
    const before = bytesOf(shop.path('kept.venturi'));
    const { code, stderr } = await shop.venturi('run', 'even.ts', '--record', 'kept');
    expect(stderr).toMatch(/VENTURI_RUN_EXISTS: .*kept\.venturi/);
    expect(stderr).not.toMatch(/^running/m);
    expect(code).toBe(2);
    expect(bytesOf(shop.path('kept.venturi'))).toBe(before);
  });

  it('of a run that did not start leaves nothing behind', async () => {
    const { code } = await shop.venturi('run', 'even.ts', '--record', 'never', '--param', 'm=1');
    expect(code).toBe(2);
    expect(existsSync(shop.path('never.venturi'))).toBe(false);
  });

  it('that cannot be written is refused before anything runs', async () => {
    const { code, stderr } = await shop.venturi('run', 'even.ts', '--record', 'even.ts/below');
    expect(stderr).toMatch(/VENTURI_RUN_UNWRITABLE: even\.ts\/below\.venturi/);
    expect(stderr).not.toMatch(/^running/m);
    expect(code).toBe(2);
  });

  it('keeps paths and arguments out of every byte when told to', async () => {
    shop.pipeline(
      'secret.ts',
      "range(p.n).map(x => x + p.who.length, { name: 'greet ' + p.who }).map(x => x, { name: 'last', parallelism: 2 })",
      '',
      '{ n: 100, who: String, pet: String }',
    );
    const where = shop.path('secret.ts');
    const args = ['--param', 'who=alibaba', '--param', 'pet=ox', '--redact', '--set', 'last.parallelism=1'];
    const { info } = await shop.record(where, 'veiled', ...args);
    const bytes = bytesOf(shop.path('veiled.venturi'));
    for (const secret of [shop.folder, 'alibaba', '"ox"', 'pet=ox']) expect(bytes.includes(secret), secret).toBe(false);
    // What is hidden is hidden alike everywhere: lanes and graph still fit together.
    expect(info.operators.map(({ elementsOut }) => elementsOut)).toEqual([100, 100, 100]);
    expect(info.channels.every(({ meanOccupancy }) => meanOccupancy > 0)).toBe(true);
    expect(info.manifest.redacted).toBe(true);
  });

  deep('stays below its limit', async () => {
    // Chunks of a single element: 2 MB of records without a limit.
    shop.pipeline('tiny.ts', 'range(p.n).prefetch(4)', '', '{ n: 30000 }');
    const whole = await shop.record('tiny.ts', 'whole');
    expect(sizeOf(shop.path('whole.venturi'))).toBeGreaterThan(1_500_000);
    expect(whole.result.warnings).toEqual([]);
    const { info, result } = await shop.record('tiny.ts', 'capped', '--record-limit', '2200kB');
    expect(sizeOf(shop.path('capped.venturi'))).toBeLessThan(2_200_000);
    expect(info).toMatchObject({ complete: true, totals: { elements: 30_000 } });
    const small = await shop.record('tiny.ts', 'small', '--record-limit', '100kB');
    expect(small.result.warnings).toContainEqual({
      code: 'VENTURI_WARN_RUN',
      message: expect.stringMatching(/limit of 100000 bytes/),
    });
    expect(small.result.warnings).toContainEqual({
      code: 'VENTURI_WARN_RUN',
      message: expect.stringMatching(/^Lanes? .*size cap/),
    });
    expect(small.info.totals.elements).toBe(30_000);
    expect(result.elements).toBe(30_000);
  });
});
