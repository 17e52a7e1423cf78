import { Topology as GraphTopology, repeatsOf } from '../../graph/topology.ts';
import { badOption } from '../../model/option.ts';
import type { PlacedNode } from './graph.ts';

/** The topology of a pipeline that can be run: all that read from one operator go through it equally often. */
export class Topology extends GraphTopology<PlacedNode> {
  /** `nodes` in the order of the data. */
  constructor(nodes: readonly PlacedNode[]) {
    super(nodes, ({ operator }) => operator);
    for (const placed of nodes.toReversed()) this.#checkPasses(placed);
  }

  #checkPasses(placed: PlacedNode): void {
    const [first, ...others] = this.readers(placed).map(reader => ({ reader, passes: this.asked(reader.placed) }));
    if (first === undefined) return;
    const other = others.find(({ passes }) => passes !== first.passes);
    if (other !== undefined) {
      const [one, two] = [first, other].map(({ reader, passes }) => `'${reader.placed.id}' wants ${times(passes)}`);
      throw badOption(
        `several operators read from '${placed.id}': ${one}, ${two}`,
        'repeat before they part or after they have come together, or build what lies before them twice',
      );
    }
    if (repeatsOf(placed.operator) === Number.POSITIVE_INFINITY && first.passes > 1) {
      const later = [...this.downstream(placed)].find(({ operator }) => operator.repeats !== undefined)?.id;
      throw badOption(
        `'${placed.id}' repeats forever, so '${later}' cannot start it over`,
        'give the first one a number of times, or leave out the second (and --epochs, which adds one)',
      );
    }
  }
}

const times = (passes: number): string =>
  passes === Number.POSITIVE_INFINITY ? 'it over and over' : passes === 1 ? 'it once' : `it ${passes} times`;
