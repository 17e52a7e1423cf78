import type { Check } from './check.ts';

/** The oldest Node the package supports, as `engines` in package.json says. */
const OLDEST: readonly [number, number] = [20, 19];

const node: Check = {
  id: 'node',
  title: 'Node.js',
  run: ({ nodeVersion }) => {
    const [major = 0, minor = 0] = nodeVersion.split('.').map(Number);
    const recent = major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
    if (recent) return { status: 'ok', detail: nodeVersion };
    const wanted = OLDEST.join('.');
    return {
      status: 'limited',
      detail: `${nodeVersion} is older than ${wanted}`,
      remedy: `Install Node.js ${wanted} or newer.`,
    };
  },
};

const sharedMemory: Check = {
  id: 'shared-memory',
  title: 'Shared memory between threads',
  run: async () => {
    const missing = (what: string) =>
      ({ status: 'missing', detail: `${what} is not there`, remedy: 'Install a current Node.js.' }) as const;
    if (typeof SharedArrayBuffer !== 'function') return missing('SharedArrayBuffer');
    if (typeof Atomics.waitAsync !== 'function') return missing('Atomics.waitAsync');
    const word = new Int32Array(new SharedArrayBuffer(4));
    const wait = Atomics.waitAsync(word, 0, 0);
    Atomics.notify(word, 0);
    if ((await wait.value) !== 'ok') return missing('a wake-up through Atomics.waitAsync');
    return { status: 'ok', detail: 'SharedArrayBuffer and Atomics.waitAsync work' };
  },
};

const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';

const typescript: Check = {
  id: 'typescript',
  title: 'TypeScript loader',
  run: async ({ importEsbuild }) => {
    try {
      return { status: 'ok', detail: `esbuild ${(await importEsbuild()).version}` };
    } catch (error) {
      const remedy = 'Install venturi again; its dependency esbuild is not whole.';
      return { status: 'missing', detail: `esbuild does not load: ${reasonOf(error)}`, remedy };
    }
  },
};

/** What Node and the package's own dependencies give. */
export const RUNTIME_CHECKS: readonly Check[] = [node, sharedMemory, typescript];
