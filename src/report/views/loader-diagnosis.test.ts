import { describe, expect, it } from 'vitest';
import { loaderFindings } from '../../findings/judge.ts';
import { ns, share } from '../../model/units.ts';
import { profile } from '../../prediction/loader/profile.fixture.ts';
import { chooseSetting } from '../../tuning/loader/choose.ts';
import { operatorRow, summary } from '../../tuning/loader/summary.fixture.ts';
import type { LoaderEdit } from '../results/loader-edit.ts';
import type { ProgramDiagnosis } from '../results/program-diagnosis.ts';
import { renderText } from '../text.ts';
import { programDiagnosisReport } from './loader-diagnosis.ts';

const EDIT: LoaderEdit = {
  location: 'train.py:7',
  isOfSource: true,
  diff: ['@@ -7,1 +7,1 @@', '-train = DataLoader(images, num_workers=1)', '+train = DataLoader(images, num_workers=8)'],
  options: undefined,
  advice: [],
};

function diagnosis(dataset: string, edit: LoaderEdit | undefined = EDIT): ProgramDiagnosis {
  const loader = summary(
    {},
    {
      settings: { num_workers: 1, dataset },
      operators: [operatorRow('open', 'open', 0.1), operatorRow('decode', 'decode', 0.9)],
    },
  );
  const recorded = profile({ workers: 1, cores: 1 });
  const choice = chooseSetting(recorded, loader.settings);
  const findings = loaderFindings({
    loader,
    profile: recorded,
    choice,
    coresBusy: 1,
    storageShare: undefined,
    accelerator: undefined,
  });
  return {
    schemaVersion: 1,
    name: 'train',
    folder: 'train.venturi',
    complete: true,
    status: 'completed',
    seconds: 4,
    command: ['python3', 'train.py'],
    verdict: findings.verdict,
    others: findings.others,
    loaders: [{ summary: loader, findings, choice, edit }],
    steps: [],
    cpu: { busy: 1, others: 0.5, usable: 4 },
    torch: '2.6',
    python: '3.12',
    problems: [],
  };
}

const text = (of: ProgramDiagnosis): string => renderText(programDiagnosisReport(of, '/home/ada'), { width: 100 });

describe('the report of a diagnosed program', () => {
  it('shows the edit below the fix, line by line as it is', () => {
    const lines = text(diagnosis('Images')).split('\n');
    const at = lines.indexOf('--- train.py');
    expect(lines.slice(at, at + 5)).toEqual(['--- train.py', '+++ train.py', ...EDIT.diff]);
    expect(lines[0]).toMatch(/^train is limited by preparation: its consumer waits 75 % of the time/);
  });

  it('names the file as patch takes it, from where one stands', () => {
    const shown = text(diagnosis('Images', { ...EDIT, location: '/home/ada/jobs/train.py:7' }));
    expect(shown).toContain('--- jobs/train.py\n+++ jobs/train.py\n');
    expect(text(diagnosis('Images', { ...EDIT, location: '/elsewhere/train.py:7' }))).toContain(
      '--- /elsewhere/train.py\n',
    );
  });

  it('says in words what to do where no call can be edited, and which option does it', () => {
    const advice = ['Give it num_workers=8 where the loader is made.'];
    const shown = text(diagnosis('Images', { ...EDIT, isOfSource: false, diff: [], advice, options: '--workers 8' }));
    expect(shown).toContain('train.py:7: Give it num_workers=8 where the loader is made.\n');
    expect(shown).toContain('Without an edit: run it with --workers 8\n');
    expect(shown).not.toContain('--- train.py');
  });

  it('says how decoded images are kept, for a dataset that lets one in', () => {
    expect(text(diagnosis('ImageFolder'))).toContain(
      '+ImageFolder(folder, transform, loader=kept(torchvision.datasets.folder.default_loader, "decoded"))',
    );
    expect(text(diagnosis('Images'))).not.toContain('def kept');
  });

  it('says what the CPU does inside the operators, where samples were taken', () => {
    const symbol = (name: string, module: string, part: number) =>
      ({ symbol: name, module, hits: 100 * part, ofOperator: share(part), ofSymbol: share(1), events: [] }) as const;
    const sampled: ProgramDiagnosis = {
      ...diagnosis('Images'),
      samples: {
        profiler: 'perf',
        frequency: 999,
        events: ['cpu-clock'],
        hits: 200,
        inOperators: share(0.5),
        inOperatorsOfWorkers: share(0.9),
        operators: [
          {
            operator: 'decode',
            hits: 100,
            ofOperators: share(0.995),
            cpu: ns(1e9),
            events: [],
            symbols: [
              symbol('[unknown]', 'libjpeg.so.8', 0.7),
              symbol('void at::native::(anonymous namespace)::copy<float>(char**, long)', 'libtorch.so', 0.2),
            ],
          },
          { operator: 'flip', hits: 1, ofOperators: share(0.005), cpu: ns(5e6), events: [], symbols: [] },
        ],
        unattributed: [
          { reason: 'idle', hits: 10, ofAll: share(0.05), events: [], symbols: [] },
          { reason: 'before', hits: 90, ofAll: share(0.45), events: [], symbols: [] },
        ],
      },
    };
    const lines = text(sampled).split('\n');
    const at = lines.findIndex(line => line.startsWith('Where the CPU goes inside the operators'));
    expect(lines[at]).toContain('50 % of 200 samples');
    expect(lines[at + 2]).toMatch(/decode +1\.00 s +99\.5 % +libjpeg\.so\.8 70 %, native::copy 20 %/);
    expect(lines[at + 3]).toBe('');
    expect(lines[at + 4]).toContain('In no operator: 45 % before the first batch: start-up; 5.0 % waiting for a task.');
    expect(text(diagnosis('Images'))).not.toContain('inside the operators');
  });

  it('says what the machine did meanwhile', () => {
    expect(text(diagnosis('Images'))).toContain(
      'train: 4.0 s · 1 of 4 cores busy, 0.5 by other programs · torch 2.6 · python 3.12',
    );
  });
});
