import { mostBandwidth } from '../../model/disk.ts';
import type { LoaderAssumption, LoaderForecast } from '../../prediction/loader/forecast.ts';
import { changesText } from '../findings/loader-changes.ts';
import { byteRate, byteSize, coreCount, count, decimal, interval, percent, plural, rate, time } from '../format.ts';
import type { LoaderPrediction, ProgramPrediction } from '../results/program-prediction.ts';
import type { SeriesProvider } from '../series.ts';
import type { Block, Cell, Report } from '../tree.ts';
import { problemBlocks } from './problems.ts';

/** Line one: how it is best set and what that leads to; then every number of workers. */
export function loaderPredictionReport(prediction: ProgramPrediction): Report {
  return [
    ...prediction.loaders.flatMap(loader => loaderBlocks(loader, prediction)),
    ...problemBlocks(prediction.problems),
  ];
}

function loaderBlocks(loader: LoaderPrediction, prediction: ProgramPrediction): Block[] {
  const { choice, measured, recorded, ownError, assumptions } = loader;
  const isRecorded = ({ setting }: LoaderForecast): boolean => setting.workers === recorded.workers;
  const isBest = ({ setting }: LoaderForecast): boolean => setting.workers === choice.best.setting.workers;
  return [
    { type: 'verdict', text: sentence(loader, prediction), ...fixOf(loader) },
    {
      type: 'paragraph',
      text: `Recorded at num_workers ${recorded.workers}: ${rate(measured)}; of that setting the model makes ${rate(measured / ownError)}.`,
      tone: 'muted',
    },
    { type: 'heading', text: loader.loader, note: `by simulation, ${overEpochs(choice.best)}; * is advised` },
    {
      type: 'chart',
      x: 'num_workers',
      y: 'elements/s',
      series: [{ key: forecastKey(loader), label: loader.loader }],
      short: {
        type: 'table',
        columns: [
          { title: 'num_workers', align: 'right' },
          { title: 'elements/s', align: 'right' },
          { title: 'band', align: 'right' },
          { title: 'consumer waits', align: 'right' },
          { title: 'bound by', align: 'left' },
          { title: 'once started', align: 'right', optional: true },
          { title: 'start', align: 'right', optional: true },
          { title: 'first epoch', align: 'right', optional: true },
          { title: 'later', align: 'right', optional: true },
          { title: 'waits, band', align: 'right', optional: true },
          { title: '/dev/shm', align: 'right', optional: true },
          { title: 'workers', align: 'right', optional: true },
        ],
        rows: loader.forecasts.map((forecast): Cell[] => {
          const { setting, waitShare, waitBand, bound, memory, steady, start, passes } = forecast;
          return [
            `${setting.workers}${isRecorded(forecast) ? ' (recorded)' : ''}${isBest(forecast) ? ' *' : ''}`,
            decimal(forecast.rate.estimate),
            Number.isNaN(forecast.rate.estimate)
              ? `${decimal(forecast.rate.low)} to ${decimal(forecast.rate.high)}`
              : interval(forecast.rate.estimate, forecast.rate.low, forecast.rate.high),
            percent(waitShare),
            memory.short === undefined ? BOUNDS[bound] : `${SHORT[memory.short]} does not suffice`,
            decimal(steady.estimate),
            setting.workers === 0 ? '' : time(start),
            passes === undefined ? '' : time(passes.first),
            passes === undefined ? '' : time(passes.later),
            `${percent(waitBand.low)} to ${percent(waitBand.high)}`,
            sizeOf(memory.sharedMemory),
            sizeOf(memory.workers),
          ];
        }),
      },
    },
    { type: 'heading', text: 'This holds if' },
    { type: 'list', items: assumptions.map(each => ({ text: ASSUMPTIONS[each] })) },
  ];
}

const forecastKey = ({ loader }: LoaderPrediction): string => `forecast/${loader}`;

export const loaderPredictionSeries = ({ loaders }: ProgramPrediction): SeriesProvider => ({
  points: key => {
    const forecasts = loaders.find(loader => forecastKey(loader) === key)?.forecasts;
    return (
      forecasts && {
        x: forecasts.map(({ setting }) => setting.workers),
        y: forecasts.map(({ rate: { estimate } }) => estimate),
        low: forecasts.map(({ rate: { low } }) => low),
        high: forecasts.map(({ rate: { high } }) => high),
      }
    );
  },
  periods: () => undefined,
});

/** What a rate is a mean of. */
function overEpochs({ passes }: LoaderForecast): string {
  if (passes === undefined) return 'once started: nobody knows how long a pass is';
  if (passes.program === undefined) return 'over many epochs';
  const { epochs, time: whole } = passes.program;
  return `over ${plural(epochs, 'epoch')}, ${time(whole.estimate)} so set`;
}

const sizeOf = (bytes: number): string => (Number.isFinite(bytes) && bytes > 0 ? byteSize(bytes) : '');

const BOUNDS: Readonly<Record<LoaderForecast['bound'], string>> = {
  consumer: 'the consumer',
  cores: 'cores',
  storage: 'storage',
  workers: 'workers',
  preparation: 'preparation and step in turn',
};

const SHORT = { 'shared-memory': '/dev/shm', memory: 'memory' } as const;

const ASSUMPTIONS: Readonly<Record<LoaderAssumption, string>> = {
  'storage-keeps-up': 'storage keeps up; give its bandwidth with --disk, or measure it: venturi doctor --disk FOLDER',
  'hand-over-guessed': 'handing batches over takes as long as usual: nothing was handed over at num_workers 0',
  'pool-in-worker':
    'a worker does alone what a pool of threads helped with: a recording with num_workers=1 would tell how much that is',
  'team-beside-workers':
    'threads of a step wait for each other, longer where workers are on their cores; OMP_NUM_THREADS=1 may spare them that',
  'step-grows-with-batch': 'the step takes longer as the batch grows; --step says how long it takes',
  'second-threads': 'the second thread of a core adds 15 to 45 % to the first',
  'others-stay': 'other programs go on using the machine as they did',
  'epochs-unknown':
    'there are many epochs: how many, the recording does not say, so that what is paid once does not count; --epochs says it',
  'start-unknown': 'workers start as fast as usual: none was started in this recording',
  'few-batches': 'the few batches recorded are typical: --batches 200 would tell more',
  'memory-unknown': 'memory suffices: the recording does not say what a batch or a worker takes',
};

/** Of the cores: more than this in use by others is said first. */
const NOTICED = 0.1;

function sentence(loader: LoaderPrediction, prediction: ProgramPrediction): string {
  const { coresUsable } = prediction.host;
  const { othersBusy } = loader;
  if (othersBusy <= NOTICED * coresUsable) return alone(loader, prediction);
  return `Beside other programs, which use ${decimal(othersBusy)} of ${coreCount(coresUsable)}: ${alone(loader, prediction)}`;
}

function alone({ loader, choice, measured }: LoaderPrediction, prediction: ProgramPrediction): string {
  const asked = wishes(prediction);
  const { best, factor } = choice;
  const where = asked === '' ? '' : `with ${asked} `;
  if (Number.isNaN(best.rate.estimate) || Number.isNaN(factor))
    return `what ${loader} ${where}could deliver cannot be told: the recording allows ${rate(best.rate.low)} to ${rate(best.rate.high)}; ${rate(measured)} was recorded. More batches would tell: --batches 200, on a quiet machine`;
  const much = `${rate(best.rate.estimate)} (${rate(best.rate.low)} to ${rate(best.rate.high)})`;
  if (Object.keys(choice.changes).length === 0 || factor < 1.03)
    return `${loader} ${where}is set about as well as it can be: ${much}`;
  return `${loader} ${where}could deliver ${much} instead of ${rate(asked === '' ? measured : choice.now.rate.estimate)}: ${decimal(Math.round(factor * 100) / 100)} times as much`;
}

function fixOf({ choice, location }: LoaderPrediction): { fix?: string } {
  const text = changesText(choice.changes);
  const held =
    choice.heldBackBy === undefined || choice.heldBackBy === 'stream'
      ? ''
      : `; more workers would need more ${SHORT[choice.heldBackBy]}`;
  if (text === '') return held === '' ? {} : { fix: `nothing to change${held}` };
  return { fix: `${text}${location === undefined ? '' : ` (${location})`}${held}` };
}

function wishes({ whatIf }: ProgramPrediction): string {
  const { cores, memory, disk, step, batchSize, epochs } = whatIf;
  return [
    ...(cores === undefined ? [] : [plural(cores, 'core')]),
    ...(memory === undefined ? [] : [`${byteSize(memory)} of memory`]),
    ...(disk === undefined ? [] : [`storage of ${byteRate(mostBandwidth(disk))}`]),
    ...(step === undefined ? [] : [`a step of ${time(step)}`]),
    ...(batchSize === undefined ? [] : [`a batch_size of ${count(batchSize)}`]),
    ...(epochs === undefined ? [] : [plural(epochs, 'epoch')]),
  ].join(', ');
}
