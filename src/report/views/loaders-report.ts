import type { LoaderSummary } from '../../analysis/batches/summary.ts';
import { heading, paragraph } from '../blocks.ts';
import type { Block } from '../tree.ts';
import { rankBlocks } from './loader-ranks.ts';
import {
  batchTable,
  loaderFacts,
  loaderGraphBlock,
  operatorTimes,
  passTable,
  slowestTable,
  waitTable,
} from './loader-tables.ts';

/** Facts and tables of one DataLoader. */
export function loaderBlocks(loader: LoaderSummary): Block[] {
  const dataset = loader.settings?.dataset;
  const settings = settingsOf(loader);
  const blocks: Block[] = [
    heading(loader.name, `DataLoader${dataset ? ` over ${dataset}` : ''}${makersOf(loader)}`),
    ...(settings === '' ? [] : [paragraph(settings, 'muted')]),
    loaderFacts(loader),
    heading('Batches', 'delay: from prepared until the consumer has it'),
    batchTable(loader),
    ...rankBlocks(loader),
  ];
  if (loader.wait.total > 0) blocks.push(heading('Waiting'), waitTable(loader));
  if (loader.operators.length > 0) {
    blocks.push(heading('Preparation', 'share of the total, and time per element'));
    blocks.push(loaderGraphBlock(loader), operatorTimes(loader));
  }
  if (loader.slowest.length > 0) {
    blocks.push(heading('Slowest elements'), slowestTable(loader));
  }
  if (loader.passes.length > 0) {
    blocks.push(
      heading('Passes', 'the first and the latest; waiting without the first batch of each'),
      passTable(loader),
    );
  }
  return blocks;
}

/** Library that made the loader, where the author's code did not. */
function makersOf({ library, remadeBy }: LoaderSummary): string {
  const makers = [...(library ? [`made by ${library}`] : []), ...(remadeBy ? [`recreated by ${remadeBy}`] : [])];
  return makers.map(maker => `, ${maker}`).join('');
}

function settingsOf({ settings, location }: LoaderSummary): string {
  if (settings === undefined) return location ?? '';
  const { batch_size, num_workers, prefetch_factor, start_method } = settings;
  const facts = [
    ...(batch_size ? [`batch_size ${batch_size}`] : []),
    `num_workers ${num_workers ?? 0}`,
    ...(num_workers && prefetch_factor ? [`prefetch_factor ${prefetch_factor}`] : []),
    ...(num_workers && start_method ? [start_method] : []),
    ...(settings.pin_memory ? ['pin_memory'] : []),
    ...(settings.persistent_workers ? ['persistent_workers'] : []),
    ...(settings.in_order === false ? ['in_order False'] : []),
    ...(location ? [location] : []),
  ];
  return facts.join(' · ');
}
