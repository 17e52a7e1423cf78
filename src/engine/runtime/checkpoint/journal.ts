import { CONSUMER } from '../../../model/consumer.ts';
import type { PlacedNode } from '../../compile/graph.ts';
import type { Topology } from '../../compile/topology.ts';
import { BEGINNING, compare, type Position } from '../books/position.ts';
import type {
  InputStart,
  JournalEntry,
  Landmark,
  OperatorSnapshot,
  OperatorStart,
  RecoveryLine,
} from './journal-entry.ts';

/** Snapshots of one operator that are kept, at most. Usually two or three are needed: lanes run ahead of the consumer. */
const MOST_SNAPSHOTS = 12;
/** Bytes of their states at most, as long as more than `FEWEST_SNAPSHOTS` are kept. */
const MOST_BYTES = 128 * 2 ** 20;
const FEWEST_SNAPSHOTS = 2;

interface Edge {
  readonly reader: string;
  readonly port: number;
}

/** An operator that keeps something, and what is known of it. */
interface Keeper {
  readonly placed: PlacedNode;
  /** Who reads from it, through whatever keeps nothing. */
  readonly readers: Edge[];
  /** In the order of their positions. */
  snapshots: OperatorSnapshot[];
}

const keyOf = ({ reader, port }: Edge): string => `${port} ${reader}`;

/**
 * What the lanes have told: operators' states at various moments, each lane at its own, and landmarks that say which positions upstream and
 * downstream belong together. Nobody has to stop for it. Since elements are the same in every run, an operator that starts
 * from an older state gives the same elements again, and whoever has had them leaves them out.
 */
export class Journal {
  readonly #keepers: readonly Keeper[];
  readonly #landmarks = new Map<string, Landmark[]>();

  /** `start`: the line from which the run was resumed. */
  constructor(topology: Topology, start: RecoveryLine | undefined) {
    const stateful = topology.nodes.filter(placed => topology.isStateful(placed));
    this.#keepers = stateful.map(placed => ({
      placed,
      readers: [],
      snapshots: [{ id: placed.id, ...snapshotOf(start?.operators[placed.id], placed) }],
    }));
    for (const reader of stateful) {
      for (const port of reader.operator.inputs.keys()) {
        const edge = { reader: reader.id, port };
        this.#connect(topology.statefulBefore(reader, port), edge, start?.operators[reader.id]?.inputs[port], start);
      }
    }
    const last = topology.nodes.at(-1);
    if (last === undefined) throw new Error('a graph has operators');
    const before = topology.isStateful(last) ? last : topology.statefulBefore(last, 0);
    this.#connect(before, { reader: CONSUMER, port: 0 }, start?.consumer, start);
  }

  #connect(upstream: PlacedNode, edge: Edge, input: InputStart | undefined, start: RecoveryLine | undefined): void {
    this.#keepers.find(({ placed }) => placed === upstream)?.readers.push(edge);
    const of = start?.operators[upstream.id]?.out ?? BEGINNING;
    this.#landmarks.set(keyOf(edge), [{ ...edge, of, at: input?.from ?? BEGINNING }]);
  }

  add({ snapshots, landmarks }: JournalEntry, consumed: Position): void {
    for (const landmark of landmarks) this.#landmarks.get(keyOf(landmark))?.push(landmark);
    let full = false;
    for (const snapshot of snapshots) {
      const keeper = this.#keepers.find(({ placed }) => placed.id === snapshot.id);
      if (keeper === undefined) continue;
      // Several lanes tell of one operator, and not in the order in which they made it.
      const after = keeper.snapshots.findLastIndex(({ out }) => compare(out, snapshot.out) <= 0) + 1;
      keeper.snapshots.splice(after, 0, snapshot);
      full ||= isTooMuch(keeper.snapshots);
    }
    if (full) this.#prune(consumed);
  }

  /** What lies before the line is not needed again; where more is left than can be kept, every second one goes. */
  #prune(consumed: Position): void {
    const chosen = this.#choose(consumed);
    for (const keeper of this.#keepers) {
      const first = chosen.get(keeper)?.snapshot;
      const from = first === undefined ? 0 : keeper.snapshots.indexOf(first);
      keeper.snapshots = keeper.snapshots.slice(from);
      while (isTooMuch(keeper.snapshots)) keeper.snapshots = keeper.snapshots.filter((_, at) => at % 2 === 0);
      const known = keeper.snapshots.map(({ out }) => out);
      for (const edge of keeper.readers) {
        const landmarks = this.#landmarks.get(keyOf(edge)) ?? [];
        const least = known[0] ?? BEGINNING;
        // One whose snapshot has not arrived yet may still be needed.
        const latest = known.at(-1) ?? BEGINNING;
        this.#landmarks.set(
          keyOf(edge),
          landmarks.filter(({ of }) => compare(of, latest) > 0 || (compare(of, least) >= 0 && known.some(same(of)))),
        );
      }
    }
  }

  /** The latest states from which the run can go on for a consumer that has had everything before `consumed`. */
  line(consumed: Position): RecoveryLine {
    const operators: Record<string, OperatorStart> = {};
    let consumer: InputStart = { from: BEGINNING, until: consumed };
    const inputs = new Map<string, InputStart>();
    const chosen = this.#choose(consumed);
    for (const { edges } of chosen.values()) {
      for (const { edge, start } of edges) {
        if (edge.reader === CONSUMER) consumer = start;
        else inputs.set(keyOf(edge), start);
      }
    }
    for (const [{ placed }, { snapshot }] of chosen) {
      const { id, operator } = placed;
      operators[id] = {
        out: snapshot.out,
        state: snapshot.state,
        inputs: operator.inputs.map(
          (_, port) => inputs.get(keyOf({ reader: id, port })) ?? { from: BEGINNING, until: BEGINNING },
        ),
      };
    }
    return { operators, consumer };
  }

  /** From the consumer upstream: each operator's latest state before which nothing is missing to any of its readers. */
  #choose(consumed: Position): Map<Keeper, { snapshot: OperatorSnapshot; edges: { edge: Edge; start: InputStart }[] }> {
    const until = new Map<string, Position>([[keyOf({ reader: CONSUMER, port: 0 }), consumed]]);
    const chosen = new Map<Keeper, { snapshot: OperatorSnapshot; edges: { edge: Edge; start: InputStart }[] }>();
    for (const keeper of this.#keepers.toReversed()) {
      const choice = this.#latest(keeper, edge => until.get(keyOf(edge)) ?? BEGINNING);
      chosen.set(keeper, choice);
      const { id, inputs } = choice.snapshot;
      for (const port of keeper.placed.operator.inputs.keys()) {
        until.set(keyOf({ reader: id, port }), inputs[port] ?? BEGINNING);
      }
    }
    return chosen;
  }

  #latest(
    { placed, snapshots, readers }: Keeper,
    until: (edge: Edge) => Position,
  ): { snapshot: OperatorSnapshot; edges: { edge: Edge; start: InputStart }[] } {
    for (const snapshot of snapshots.toReversed()) {
      const edges = readers.flatMap(edge => {
        const from = this.#reached(edge, snapshot.out, until(edge));
        return from === undefined ? [] : [{ edge, start: { from, until: until(edge) } }];
      });
      if (edges.length === readers.length) return { snapshot, edges };
    }
    throw new Error(`'${placed.id}' has no state to start from`);
  }

  /** Where the reader stood when `of` had left upstream, unless that is behind `until`. */
  #reached(edge: Edge, of: Position, until: Position): Position | undefined {
    return this.#landmarks.get(keyOf(edge))?.find(landmark => same(of)(landmark.of) && compare(landmark.at, until) <= 0)
      ?.at;
  }
}

const isTooMuch = (snapshots: readonly OperatorSnapshot[]): boolean =>
  snapshots.length > MOST_SNAPSHOTS ||
  (snapshots.length > FEWEST_SNAPSHOTS &&
    snapshots.reduce((sum, { state }) => sum + (state?.length ?? 0), 0) > MOST_BYTES);

const same =
  (a: Position) =>
  (b: Position): boolean =>
    compare(a, b) === 0;

function snapshotOf(start: OperatorStart | undefined, { operator }: PlacedNode): Omit<OperatorSnapshot, 'id'> {
  if (start === undefined) return { out: BEGINNING, inputs: operator.inputs.map(() => BEGINNING), state: undefined };
  return { out: start.out, inputs: start.inputs.map(({ until }) => until), state: start.state };
}
