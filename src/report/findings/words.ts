import type { Cause, Doubt, Finding, Fix, Gain } from '../../model/finding.ts';
import { byteRate, byteSize, coreCount, count, decimal, percent, plural, rate, time } from '../format.ts';

/** A finding put into words. */
export interface FindingWords {
  /** What is the matter, with its number. */
  readonly text: string;
  /** What to do about it, and what that gains. */
  readonly fix: string | undefined;
  readonly doubts: readonly string[];
}

export interface WordContext {
  /** What an operator is called. */
  label(id: string): string;
  /** Elements per second of the run. */
  readonly rate: number;
  /** What a gain is for, where other programs use the machine. */
  readonly on?: string | undefined;
  /** How a setting is made: `--set decode.parallelism=4`. */
  setting(fix: Fix & { type: 'set' }): string;
}

/** For what waits and sees all elements in order. */
const IN_ORDER_ADVICE = {
  outside: 'It gives elements one after the other, as they come: no setting of this pipeline makes it faster',
  storage:
    'It reads one after the other: divide what it reads into files that several threads can read, or keep it in a cache',
};

export function findingWords(finding: Finding, context: WordContext): FindingWords {
  const { text, advice } = sentence(finding, context);
  const cause = causeWords(finding.cause);
  return {
    text: cause === '' || !finding.limits ? text : `${text} (${cause})`,
    fix: fixWords(finding, advice, context),
    doubts: finding.doubts.map(doubt => DOUBTS[doubt]),
  };
}

/** Every verdict says whether something is used up. */
export function causeWords(cause: Cause): string {
  switch (cause.type) {
    case 'hardware':
      return `hardware: ${RESOURCES[cause.resource]} is full`;
    case 'software':
      return 'software: nothing is full';
    case 'none':
      return '';
  }
}

const RESOURCES = { cpu: 'the CPU', storage: 'storage', network: 'the network', memory: 'memory' } as const;

/** What a gain that is no forecast is replaced by. */
export const GAIN_UNTOLD =
  'What that gains cannot be told from this recording: a longer one, or a quiet machine, tells more, and venturi tune measures it.';

const DOUBTS: Readonly<Record<Doubt, string>> = {
  'gain-untold': GAIN_UNTOLD,
  'service-unseen':
    'What is called was never seen with more calls at once: venturi tune tries more, step by step, as long as that helps.',
  'one-reader': 'One reader got this much: more might get more. venturi doctor --disk FOLDER measures it.',
  'same-sizes':
    'Files are too much alike to tell latency from bandwidth. venturi doctor --disk FOLDER measures what storage can do.',
  'two-narrow-places': 'A second place is about as narrow: both have to be widened.',
  changes: 'The narrow place changed during the run.',
};

const lanes = (n: number): string => plural(n, 'lane');
const hasLanes = (n: number): string => (n === 1 ? 'its 1 lane is' : `its ${count(n)} lanes are`);

function sentence(finding: Finding, { label, rate: now }: WordContext): { text: string; advice: string | undefined } {
  const [first] = finding.operators;
  const name = first === undefined ? 'the pipeline' : label(first);
  switch (finding.kind) {
    case 'consumer-bound': {
      const { wait, step, busy, possible } = finding.figures;
      if (busy < 0.5) {
        return {
          text: `The pipeline keeps up: its consumer waits ${time(wait)} for an element, too little to matter`,
          advice: undefined,
        };
      }
      return {
        text: `The consumer limits this run, not its input: it works ${time(step)} on an element and waits ${time(wait)}`,
        advice: Number.isFinite(possible)
          ? `Speed up the consumer: the pipeline could deliver ${rate(possible)} instead of ${rate(now)}`
          : 'Speed up the consumer: the pipeline has time to spare',
      };
    }
    case 'cpu-bound': {
      const { lanes: n, busy, cpuShare, coresBusy, coresUsable } = finding.figures;
      if (finding.cause.type === 'hardware') {
        return {
          text: `${name} limits this pipeline: ${decimal(coresBusy)} of ${coreCount(coresUsable)} are busy, and it takes ${percent(cpuShare)} of their work; ${rate(now)}`,
          advice: `Make ${name} cheaper, keep what it makes, or add cores: each is worth about ${rate(now / coresBusy)}`,
        };
      }
      return {
        text: `${name} limits this pipeline: ${hasLanes(n)} busy ${percent(busy)} of the time, while ${decimal(coresBusy)} of ${coreCount(coresUsable)} are; ${rate(now)}${possible(finding.gain)}`,
        advice: undefined,
      };
    }
    case 'sequential-operator': {
      const { busy, most } = finding.figures;
      return {
        text: `${name} limits this pipeline: it sees all elements in order, so it has one lane, and that is busy ${percent(busy)} of the time; ${rate(now)} of at most ${rate(most)}`,
        advice: `Make ${name} cheaper, move work out of it into a map, or divide the source and run the whole pipeline once per part`,
      };
    }
    case 'waiting-on-calls': {
      const { lanes: n, concurrency, underWay, callTime, slowestCall, failed } = finding.figures;
      const of =
        n === 1 ? count(concurrency) : `${count(n * concurrency)} (${count(concurrency)} in each of ${lanes(n)})`;
      const failing = failed > 0 ? `, ${percent(failed)} of them fail` : '';
      return {
        text: `${name} limits this pipeline: it waits on calls of its async function, ${decimal(underWay)} under way of ${of}, ${time(callTime)} a call and up to ${time(slowestCall)}${failing}; ${rate(now)}`,
        advice: `Ask for more in each call, or keep answers: ${count(concurrency)} calls at once in a lane are as many as are tried`,
      };
    }
    case 'io-latency': {
      const { lanes: n, blocked, perElement, bytesPerSecond, medium } = finding.figures;
      const what = medium === 'storage' ? `storage (${byteRate(bytesPerSecond)})` : 'something outside';
      return {
        text: `${name} limits this pipeline: ${hasLanes(n)} asleep ${percent(blocked)} of the time, waiting for ${what}; ${time(perElement)} an element, whatever its size; ${rate(now)}${possible(finding.gain)}`,
        advice: finding.fix.type === 'advice' ? IN_ORDER_ADVICE[medium] : undefined,
      };
    }
    case 'io-bandwidth': {
      const { lanes: n, blocked, bytesPerSecond, limit, known } = finding.figures;
      const of = known === 'given' ? ` of ${byteRate(limit)}` : '';
      return {
        text: `Storage limits this pipeline: ${name} gets ${byteRate(bytesPerSecond)}${of}, and ${hasLanes(n)} asleep ${percent(blocked)} of the time for it; ${rate(now)}`,
        advice: 'Keep what is read in memory, store it smaller, or use faster storage: more lanes get no more',
      };
    }
    case 'io-parallelism': {
      const { lanes: n, blocked, bytesPerSecond, possible: more } = finding.figures;
      const other = more === undefined ? '' : `; more readers get up to ${byteRate(more)}`;
      return {
        text: `${name} limits this pipeline: it reads ${byteRate(bytesPerSecond)} in ${lanes(n)}, asleep ${percent(blocked)} of the time${other}; ${rate(now)}${possible(finding.gain)}`,
        advice: finding.fix.type === 'advice' ? IN_ORDER_ADVICE.storage : undefined,
      };
    }
    case 'channel-bound': {
      const { from, to, full } = finding.figures;
      return {
        text: `The way from ${label(from)} to ${label(to)} limits this pipeline: it is full ${percent(full)} of the time while ${label(to)} has time to spare; ${rate(now)}`,
        advice: `Send less from ${label(from)} to ${label(to)}, or bring the two closer together: more lanes get no more`,
      };
    }
    case 'cache-too-large': {
      const { bytes, bytesLow, bytesHigh, memory } = finding.figures;
      const about = bytesHigh > bytesLow * 1.01 ? ` (${byteSize(bytesLow)} to ${byteSize(bytesHigh)})` : '';
      return {
        text: `The cache ${name} does not fit: its elements take ${byteSize(bytes)}${about}, and there are ${byteSize(memory)} of memory`,
        advice: `Move ${name} to where elements are smaller, leave it out, or give it ${byteSize(bytesHigh)}`,
      };
    }
    case 'shuffle-warm-up': {
      const { firstOutput, ofRun, buffer } = finding.figures;
      return {
        text: `${name} held everything back for ${time(firstOutput)}, ${percent(ofRun)} of this run, until its buffer of ${count(buffer)} was full`,
        advice: `Use a smaller buffer, shuffle the files instead of their elements, or let it run longer`,
      };
    }
    case 'small-operators': {
      const { overhead, perElement } = finding.figures;
      const names = finding.operators.map(label).join(', ');
      return {
        text: `Handing elements on costs more than the work on them: ${percent(overhead)} of the CPU of ${names} is overhead, their own work is ${time(perElement)} an element; ${rate(now)}`,
        advice: 'Let neighbours share a stage (leave out parallelism), batch earlier, or do more per call',
      };
    }
    case 'own-threads': {
      const { outside, ofProcess, coresUsable } = finding.figures;
      const who = finding.operators.length === 0 ? 'Something' : finding.operators.map(label).join(', ');
      return {
        text: `${who} works in threads of its own: ${decimal(outside)} of ${coreCount(coresUsable)} (${percent(ofProcess)} of the process) are used outside all lanes; ${rate(now)}`,
        advice: 'Limit those threads to one per lane, or keep one lane and leave the cores to them: not both',
      };
    }
    case 'skewed-lanes': {
      const { lanes: n, busiest, busy } = finding.figures;
      const names = finding.operators.map(label).join(', ');
      return {
        text: `One of ${lanes(n)} of ${names} does most of the work: it is busy ${percent(busiest)} of the time, the mean lane ${percent(busy)}; ${rate(now)}${possible(finding.gain)}`,
        advice: 'Spread elements more evenly (another key, smaller pieces): more lanes would wait like the others',
      };
    }
    case 'oversubscribed-cores': {
      const { lanes: n, runnable, coresUsable, coresBusy, others } = finding.figures;
      if (finding.limits) {
        return {
          text: `Other programs limit this pipeline: they use ${decimal(others)} of ${coreCount(coresUsable)}, it gets ${decimal(coresBusy)}, and its lanes queue ${percent(runnable)} of the time they want one; ${rate(now)}`,
          advice: 'Stop the other programs, or record again when the machine is idle',
        };
      }
      if (others > 0.2 * coresUsable) {
        return {
          text: `Other programs use ${decimal(others)} of ${coreCount(coresUsable)}`,
          advice: 'Record again when the machine is idle: lanes queue for a core meanwhile',
        };
      }
      return {
        text: `${lanes(n)} share ${coreCount(coresUsable)} and queue for them ${percent(runnable)} of the time they want one`,
        advice: 'Use fewer lanes: they would do the same work with less switching',
      };
    }
    case 'container-quota': {
      const { coresUsable, coresPresent, limit } = finding.figures;
      const by = limit === 'affinity' ? 'its CPU affinity' : 'a container quota';
      return {
        text: `This process may use ${decimal(coresUsable)} of the machine's ${coreCount(coresPresent)}, by ${by}${finding.limits ? `, and all of them are busy; ${rate(now)}` : ''}`,
        advice: finding.limits ? 'Raise the limit, with lanes to use it' : undefined,
      };
    }
    case 'short-recording': {
      const { reason, duration, elements, error } = finding.figures;
      switch (reason) {
        case 'empty':
          return {
            text: `No element left the pipeline in ${time(duration)}: there is nothing to judge by`,
            advice: undefined,
          };
        case 'short':
          return {
            text: `${finding.limits ? 'Too short to judge' : 'This recording is short'}: ${plural(Math.round(elements), 'element')} in ${time(duration)}`,
            advice: undefined,
          };
        case 'few-elements':
          return {
            text: `${finding.limits ? 'Too few elements to judge' : 'Few elements'}: ${plural(Math.round(elements), 'element')} in ${time(duration)}`,
            advice: undefined,
          };
        case 'noisy':
          return { text: `This recording is noisy: its rate is known to ${percent(error)} only`, advice: undefined };
        case 'incomplete':
          return { text: 'This recording is incomplete: it was cut or still goes on', advice: undefined };
      }
      break;
    }
    case 'stuck-operator': {
      const { element, elements, since, duration } = finding.figures;
      const who = finding.operators.map(label).join(' or ');
      const what =
        element === undefined
          ? 'has given nothing'
          : elements === 1
            ? `has not come back from element ${element}`
            : `has not come back from one of the elements ${element} to ${element + elements - 1}`;
      return {
        text: `${who} is stuck: it ${what} since ${time(since)} after the start, for ${time(duration)}`,
        advice: `Look in ${who} for a loop that does not end or a promise that nothing settles; give what it waits for a limit: AbortSignal.timeout(10_000)`,
      };
    }
    case 'unclear': {
      const { nearest, busy } = finding.figures;
      return {
        text: `Nothing clearly limits this pipeline: even its busiest stage (${nearest}) has time to spare, busy ${percent(busy)} of the time; ${rate(now)}`,
        advice: 'Give its channels more room (prefetch): bursts and waits seem to take turns',
      };
    }
  }
}

export const faster = (factor: number): string =>
  factor < 1.5 ? `${percent(factor - 1)} faster` : `${decimal(Math.round(factor * 10) / 10)} times as fast`;

const possible = (gain: Gain | undefined): string => (gain === undefined ? '' : ` of a possible ${rate(gain.rate)}`);

function fixWords({ fix, gain }: Finding, advice: string | undefined, context: WordContext): string | undefined {
  const on = context.on === undefined ? '' : `on ${context.on}: `;
  const worth = gain === undefined ? undefined : `${on}up to ${rate(gain.rate)}, ${faster(gain.factor)}`;
  switch (fix.type) {
    case 'set':
      // In brackets, so that what stands before them can be copied as it is.
      return `${context.setting(fix)}${worth === undefined ? '' : ` (${worth})`}`;
    case 'record':
      return `Record longer: --epochs 10, or --for ${fix.seconds}s on a pipeline that repeats`;
    case 'advice':
      return advice === undefined || worth === undefined ? advice : `${advice}: ${worth}`;
  }
}
