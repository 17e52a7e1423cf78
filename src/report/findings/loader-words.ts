import type { Gain } from '../../model/finding.ts';
import type { LoaderDoubt, LoaderFinding } from '../../model/loader-finding.ts';
import { batchCount, byteSize, coreCount, decimal, percent, plural, rate, time } from '../format.ts';
import { changesText } from './loader-changes.ts';
import { causeWords, type FindingWords, faster, GAIN_UNTOLD } from './words.ts';

/** A finding about a loader, put into words. */
export function loaderWords(finding: LoaderFinding): FindingWords {
  const { text, advice } = sentence(finding);
  const cause = causeWords(finding.cause);
  return {
    text: cause === '' || !finding.limits ? text : `${text} (${cause})`,
    fix: fixWords(finding, advice),
    doubts: finding.doubts.map(doubt => DOUBTS[doubt]),
  };
}

const DOUBTS: Readonly<Record<LoaderDoubt, string>> = {
  'gain-untold': GAIN_UNTOLD,
  'busy-machine':
    'Other programs used the machine meanwhile: on an idle one the figures, and the best setting, differ.',
  guessed: 'Nothing was handed over between processes in this recording: what that costs is a usual value.',
  'few-batches': 'Few batches were recorded: --batches 200 would tell more.',
};

const workers = (n: number): string => (n === 0 ? 'no workers' : plural(n, 'worker'));

function sentence(finding: LoaderFinding): { text: string; advice: string | undefined } {
  const [name = 'the loader'] = finding.operators;
  switch (finding.kind) {
    case 'preparation-bound': {
      const {
        rate: now,
        waiting,
        atStake,
        workers: n,
        preparation,
        step,
        coresBusy,
        coresUsable,
        heaviest,
        heaviestShare,
      } = finding.figures;
      const most = heaviest === undefined ? '' : `; ${heaviest} has ${percent(heaviestShare)} of the work`;
      return {
        text:
          `${name} is limited by preparation: its consumer waits ${percent(waiting)} of the time${stake(atStake)}; with ${workers(n)} a batch takes ` +
          `${time(preparation)} to prepare and ${time(step)} to consume, ${decimal(coresBusy)} of ${coreCount(coresUsable)} busy; ${rate(now)}${possible(finding.gain)}`,
        advice: `Make the preparation cheaper: more workers would not help${most}`,
      };
    }
    case 'order-bound': {
      const { rate: now, waiting, atStake, outOfOrder } = finding.figures;
      return {
        text: `${name} is held up by order: its consumer waits ${percent(waiting)} of the time, mostly while later batches are ready${stake(atStake)}; ${percent(outOfOrder)} of them come before one ordered earlier; ${rate(now)}${possible(finding.gain)}`,
        advice: 'in_order=False (torch 2.6 or newer) where the order of batches does not matter',
      };
    }
    case 'transfer-bound': {
      const { rate: now, waiting, atStake, pinning, perBatch, preparation } = finding.figures;
      return {
        text: `${name} is limited by handing batches over: its consumer waits ${percent(waiting)} of the time for batches that are prepared, ${time(perBatch)} each${stake(atStake)}; ${rate(now)}${possible(finding.gain)}`,
        advice:
          pinning > 0.5
            ? 'pin_memory=False: pinning takes longer than sending'
            : perBatch > preparation
              ? 'A larger batch_size, or num_workers=0: handing a batch over takes longer than preparing it'
              : 'Send less: smaller types, and nothing that the consumer does not use',
      };
    }
    case 'start-bound': {
      const { rate: now, atStake, start, ofPass, workers: n } = finding.figures;
      return {
        text: `${name} is held up by the start of each pass: ${time(start)} before its first batch, ${percent(ofPass)} of the time${stake(atStake)}; ${rate(now)}${possible(finding.gain)}`,
        advice:
          n === 0
            ? 'Look at what the dataset does before its first element: files that are opened, a buffer that is filled'
            : 'Look at what workers do before their first batch: imports, worker_init_fn, a dataset that is copied to each',
      };
    }
    case 'consumer-bound': {
      const { rate: now, waiting, atStake, step, preparation, delay, nearly, mostly } = finding.figures;
      if (mostly) {
        return {
          text: `Mostly the consumer limits this program, not ${name}: it works ${time(step)} on a batch and waits ${percent(waiting)} of the time for its preparation of ${time(preparation)}${stake(atStake)}; ${rate(now)}${possible(finding.gain)}`,
          advice: 'Speed up the step itself',
        };
      }
      return {
        text: nearly
          ? `${name} nearly keeps up: its consumer waits ${percent(waiting)} of the time${stake(atStake)}; ${rate(now)}`
          : `The consumer limits this program, not ${name}: it works ${time(step)} on a batch and waits ${percent(waiting)} of the time; batches lie ready for ${time(delay)}; ${rate(now)}`,
        advice: nearly ? undefined : 'Speed up the step itself: nothing in the loader would help',
      };
    }
    case 'few-batches':
      return {
        text: `${name} gave ${batchCount(finding.figures.batches)}: too few to say what limits it`,
        advice: undefined,
      };
    case 'cores-short': {
      const { queued, others, coresUsable } = finding.figures;
      return {
        text: `Preparation of ${name} queues ${percent(queued)} of the time it wants a core${others !== undefined && others > 0.2 ? `; other programs use ${decimal(others)} of ${coreCount(coresUsable)}` : ''}`,
        advice: 'More cores, or fewer other programs',
      };
    }
    case 'steps-crowded': {
      const { threads, coresUsable } = finding.figures;
      return {
        text: `A step of ${name} runs on ${decimal(threads)} threads that wait for each other; workers on the same ${coreCount(coresUsable)} hold them up`,
        advice: 'Try OMP_NUM_THREADS=1, or torch.set_num_threads(1): steps of one thread go on beside workers',
      };
    }
    case 'memory-short': {
      const { what, wanted } = finding.figures;
      return {
        text: `More workers of ${name} would be faster, and want ${byteSize(wanted)} of ${what === 'memory' ? 'memory' : '/dev/shm'}, which is not there`,
        advice:
          what === 'memory'
            ? 'More memory, or less in each worker'
            : 'A larger /dev/shm: docker run --shm-size, or a mount of that size',
      };
    }
    case 'worker-start': {
      const { start, ofPass } = finding.figures;
      return {
        text: `Workers of ${name} are started anew for every pass: ${time(start)}, ${percent(ofPass)} of it`,
        advice: undefined,
      };
    }
    case 'slow-elements': {
      const { slowest, typical, names } = finding.figures;
      return {
        text: `Few elements of ${name} take far longer than the others: up to ${time(slowest)} instead of ${time(typical)}: ${names.join(', ')}`,
        advice: 'Look at these: larger than the others, or stored elsewhere; a larger prefetch_factor evens them out',
      };
    }
    case 'repeated': {
      const { until, share, elements } = finding.figures;
      return {
        text: `Every pass of ${name} does the work up to ${until} again, ${percent(share)} of it, with the same result`,
        advice: `Keep what ${until} gives${elements > 0 ? ` of the ${plural(elements, 'element')}` : ''} (a file per element, read instead)`,
      };
    }
    case 'memory-growth': {
      const { where, processes, perHour, perHundredBatches, least, most, fullIn, isUnshared } = finding.figures;
      const whose = where === 'main' ? 'the main process' : `${plural(processes, 'worker')} of ${name}`;
      const perBatches =
        perHundredBatches === undefined
          ? ''
          : `${byteSize(perHundredBatches)} per 100 batches (${byteSize(least ?? 0)} to ${byteSize(most ?? 0)}), `;
      const full = fullIn === undefined ? '' : `; what is free is full in about ${time(fullIn)}`;
      const why = isUnshared
        ? ': pages they shared with the main process become their own, because reading a Python object writes its count of references'
        : '';
      return {
        text: `Memory of ${whose} grows by ${perBatches}${byteSize(perHour)} an hour${full}${why}`,
        advice: isUnshared
          ? 'Keep what the dataset holds in arrays or tensors, not in lists, dicts or strings of Python: those have no counts to write'
          : where === 'main'
            ? 'Look for what each step keeps: losses with their graph (use .item() or .detach()), lists that grow, caches'
            : 'Look for what the dataset keeps of each element: caches, open files, lists that grow',
      };
    }
    case 'unpinned': {
      const { batch } = finding.figures;
      return {
        text: `Batches of ${name}, ${byteSize(batch)} each, go to the device from memory that is not pinned: the copy cannot overlap with work`,
        advice: undefined,
      };
    }
    case 'passes-differ': {
      const { first, later } = finding.figures;
      return {
        text: `Passes of ${name} differ: the first is limited by ${first}, a later one by ${later}`,
        advice: 'The first pass may find files that are not in memory: judge by what is typical of a long run',
      };
    }
  }
}

/** Less of a program's time is not worth a change. */
const LITTLE = 0.05;

/** How much there is to gain at all. */
export const stake = (ofProgram: number): string =>
  ofProgram < LITTLE
    ? `, which costs the program little: at most ${percent(ofProgram)} of its time is to gain`
    : `, at most ${percent(ofProgram)} of the program's time to gain`;

const possible = (gain: Gain | undefined): string => (gain === undefined ? '' : ` of a possible ${rate(gain.rate)}`);

function fixWords({ fix, gain }: LoaderFinding, advice: string | undefined): string | undefined {
  const worth = gain === undefined ? undefined : `about ${rate(gain.rate)}, ${faster(gain.factor)}`;
  switch (fix.type) {
    case 'arguments':
      return `${fix.loader}: ${changesText(fix.changes)}${worth === undefined ? '' : ` (${worth})`}`;
    case 'record':
      return `Record more: venturi record --batches ${fix.batches} -- COMMAND`;
    case 'advice':
      return advice === undefined || worth === undefined ? advice : `${advice}: ${worth}`;
  }
}
