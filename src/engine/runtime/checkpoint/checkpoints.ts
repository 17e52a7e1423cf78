import type { PlacedNode } from '../../compile/graph.ts';
import type { ExecutionPlan } from '../../compile/stages.ts';
import type { Checkpoint } from '../../contract/checkpoint.ts';
import type { Position } from '../books/position.ts';
import { changedFunctions, checkIdentity, fileDigests, functionDigests, graphDigest } from './checkpoint-identity.ts';
import { sealed, type Unsealed } from './checkpoint-record.ts';
import { Delivery } from './delivery.ts';
import { Journal } from './journal.ts';
import type { JournalEntry, OperatorStart } from './journal-entry.ts';
import type { JournalParts } from './stage-journal.ts';

export interface CheckpointSettings {
  readonly params: Readonly<Record<string, unknown>>;
  readonly seed: number;
  readonly epochs: number;
  readonly resume: Unsealed | undefined;
  /** ms between two snapshots of an operator; undefined: none are made. */
  readonly everyMs: number | undefined;
}

/** Saves a run, and knows from where it was resumed. */
export class Checkpoints {
  readonly delivery: Delivery;
  readonly warnings: readonly string[];
  readonly #nodes: readonly PlacedNode[];
  readonly #settings: CheckpointSettings;
  readonly #journal: Journal;
  readonly #starts: Readonly<Record<string, OperatorStart>>;
  #files: Checkpoint['files'] | undefined;

  /** `post`: where the consumer's end tells what it knows. */
  constructor({ topology, nodes }: ExecutionPlan, settings: CheckpointSettings, post: (entry: JournalEntry) => void) {
    const { resume, everyMs } = settings;
    const { checkpoint, line } = resume ?? {};
    if (checkpoint !== undefined) checkIdentity(checkpoint, nodes, settings.seed);
    this.#nodes = nodes;
    this.#settings = settings;
    this.#journal = new Journal(topology, line);
    this.#starts = line?.operators ?? {};
    this.#files = checkpoint?.files;
    this.warnings = checkpoint === undefined ? [] : changedFunctions(checkpoint, nodes);
    this.delivery = new Delivery(line?.consumer, checkpoint?.elements ?? 0, everyMs === undefined ? undefined : post);
  }

  /** `consumed`: nobody will want to save the run before it. */
  add(entry: JournalEntry, consumed: Position): void {
    this.#journal.add(entry, consumed);
  }

  /** What lanes need to know; undefined: nothing. */
  parts(): Omit<JournalParts, 'post'> | undefined {
    const { everyMs, resume } = this.#settings;
    return everyMs === undefined && resume === undefined ? undefined : { everyMs, starts: this.#starts };
  }

  save(position: Position, elements: number): Checkpoint {
    const { params, seed, epochs } = this.#settings;
    const nodes = this.#nodes;
    // A run of many files saves them once: they must not change while it goes on.
    this.#files ??= fileDigests(nodes);
    const facts = { elements, params, seed, epochs, graph: graphDigest(nodes), functions: functionDigests(nodes) };
    return sealed({ ...facts, files: this.#files }, this.#journal.line(position));
  }
}
