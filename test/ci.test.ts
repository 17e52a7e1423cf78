import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Workshop } from './fixtures/workshop.ts';

const SCRIPT = fileURLToPath(new URL('../.ci/run', import.meta.url));

/** Everything the script calls, but for the shell's own: each says that it was called. */
const COMMANDS = ['npm', 'npx', 'node', 'apt-get', 'chromium'];
const TOOLS = ['current-torch', 'wild-libraries', 'export-readers', 'node-release'];

let workshop: Workshop;
beforeEach(() => {
  workshop = new Workshop();
});
afterEach(() => workshop.remove());

function place(path: string, text: string): void {
  writeFileSync(workshop.path(path), `#!/bin/bash\n${text}\n`);
  chmodSync(workshop.path(path), 0o755);
}

/** Runs the script in a clone where every command does nothing but what is given for it. */
function runCi(
  commands: Readonly<Record<string, string>>,
): Promise<{ readonly code: number | null; readonly stdout: string }> {
  for (const folder of ['clone/.ci', 'clone/tools', 'bin']) {
    mkdirSync(workshop.path(folder), { recursive: true });
  }
  copyFileSync(SCRIPT, workshop.path('clone/.ci/run'));
  writeFileSync(workshop.path('clone/package.json'), '{\n  "node": ">=20.19"\n}\n');
  for (const name of COMMANDS) {
    place(`bin/${name}`, commands[name] ?? `echo "${name} $*"`);
  }
  for (const name of TOOLS) {
    place(`clone/tools/${name}.sh`, `echo "$0" >>tools/called; dirname "$(command -v npm)"`);
  }
  // Nothing is there yet.
  const env = {
    PATH: `${workshop.path('bin')}:${process.env.PATH}`,
    VENTURI_PYTHON_LIBRARIES: '',
    VENTURI_PYTHON_READERS: '',
  };
  return workshop.start('/bin/bash', [workshop.path('clone/.ci/run')], { env }).finished;
}

describe.skipIf(process.platform !== 'linux')('the script of CI', () => {
  it('ends well where everything held', async () => {
    // The last of what is installed is there before the tests beside it have ended.
    const npx = `until grep -q readers tools/called; do sleep 0.05; done; sleep 0.2; echo "npx $*"`;
    const { code, stdout } = await runCi({ npx });
    expect(stdout).toContain('\nnpm test\n');
    expect(stdout).toMatch(/npx vitest run test\/ .*\n$/);
    expect(code).toBe(0);
  });

  it.each([
    ['npm', 'test'],
    ['npx', 'vitest'],
  ])('fails where %s %s does', async (command, word) => {
    const { code } = await runCi({ [command]: `[ "$1" != ${word} ] || exit 7` });
    expect(code).toBe(7);
  });
});
