import type { CheckResult } from '../../report/results/doctor.ts';
import type { Check } from './check.ts';

const python: Check = {
  id: 'python',
  title: 'Python',
  run: async ({ run }) => {
    const outcome = await run('python3', ['--version']);
    const remedy = 'Install Python 3, for recording PyTorch programs.';
    if (outcome.status === 'answered') return { status: 'ok', detail: outcome.output };
    if (outcome.status === 'absent') return { status: 'missing', detail: 'python3 is not on PATH', remedy };
    return { status: 'limited', detail: `python3 does not answer: ${outcome.reason}`, remedy };
  },
};

/** Finds a package and its version without importing it: importing a framework takes seconds. */
const FIND_PACKAGE = `
import importlib.metadata, importlib.util, sys
name = sys.argv[1]
if importlib.util.find_spec(name) is None:
    print('absent')
else:
    try:
        print('found', importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
        print('found', 'of unknown version')
`;

const pythonPackage = (id: string, title: string, module: string, later = ''): Check => ({
  id,
  title,
  run: async ({ run }): Promise<CheckResult> => {
    const outcome = await run('python3', ['-c', FIND_PACKAGE, module]);
    const remedy = `Install ${module} for this python3, for recording ${title} programs${later}.`;
    if (outcome.status === 'absent') return { status: 'missing', detail: 'python3 is not on PATH', remedy };
    if (outcome.status === 'failed')
      return { status: 'limited', detail: `python3 does not answer: ${outcome.reason}`, remedy };
    const version = /^found (.*)$/m.exec(outcome.output)?.[1];
    if (version === undefined) return { status: 'missing', detail: `python3 has no package ${module}`, remedy };
    return { status: 'ok', detail: `${module} ${version}` };
  },
});

const perf: Check = {
  id: 'perf',
  title: 'perf',
  run: async ({ run, read, privileged }) => {
    const outcome = await run('perf', ['--version']);
    if (outcome.status !== 'answered') {
      const detail = outcome.status === 'absent' ? 'perf is not on PATH' : `perf does not answer: ${outcome.reason}`;
      const remedy =
        'Install linux-perf (Debian) or linux-tools for your kernel (Ubuntu): needed for samples of native code, venturi record --perf.';
      return { status: outcome.status === 'absent' ? 'missing' : 'limited', detail, remedy };
    }
    const level = read('/proc/sys/kernel/perf_event_paranoid')?.trim();
    if (level === undefined) {
      const detail = `${outcome.output}; this kernel offers no perf events`;
      return { status: 'limited', detail, remedy: 'Use a kernel built with CONFIG_PERF_EVENTS.' };
    }
    const detail = `${outcome.output}; kernel.perf_event_paranoid is ${level}`;
    // Above 2, a setting of Debian and Android kernels, an unprivileged user may record nothing at all.
    if (privileged || Number(level) <= 2) return { status: 'ok', detail };
    return { status: 'limited', detail, remedy: 'sudo sysctl kernel.perf_event_paranoid=2' };
  },
};

const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];

const browser: Check = {
  id: 'browser',
  title: 'Browser',
  run: ({ find }) => {
    for (const name of BROWSERS) {
      const path = find(name);
      if (path !== undefined) return { status: 'ok', detail: path };
    }
    return {
      status: 'missing',
      detail: 'neither chromium nor chrome is on PATH',
      remedy: 'Install Chromium or Chrome, for looking at a run as a page (not part of this version).',
    };
  },
};

const java: Check = {
  id: 'java',
  title: 'Java',
  run: ({ find }) => {
    const path = find('java');
    if (path !== undefined) return { status: 'ok', detail: path };
    const remedy = 'Install a Java runtime, for recording Flink jobs (not part of this version).';
    return { status: 'missing', detail: 'java is not on PATH', remedy };
  },
};

const flink: Check = {
  id: 'flink',
  title: 'Flink',
  run: ({ find }) => {
    const path = find('flink');
    if (path !== undefined) return { status: 'ok', detail: path };
    const remedy =
      'Put the bin folder of a Flink distribution on PATH, for recording Flink jobs (not part of this version).';
    return { status: 'missing', detail: 'flink is not on PATH', remedy };
  },
};

/** Programs of the user's that a run may concern. */
export const PROGRAM_CHECKS: readonly Check[] = [
  python,
  pythonPackage('torch', 'PyTorch', 'torch'),
  pythonPackage('tensorflow', 'TensorFlow', 'tensorflow', ' (not part of this version)'),
  perf,
  browser,
  java,
  flink,
];
