/** What the tuner is compared with: lanes x where the batch is made x how the consumer has it. */

const CONSUMERS = ['borrow', 'copy'];
const PLACES = ['in-lanes', 'own-stage'];

/** `{ name, consumer, lanes, actions }` of each. `batch`: the id of that operator. */
export const arrangementsOf = (lanes, batch) =>
  lanes.flatMap(count =>
    PLACES.flatMap(place =>
      CONSUMERS.map(consumer => ({
        name: `${count}-${place}-${consumer}`,
        consumer,
        lanes: count,
        actions: place === 'in-lanes' ? [] : [{ kind: 'parallelism', operator: batch, to: 1 }],
      })),
    ),
  );

/** The naive pipeline with what the tuner found. */
export const tunedOf = actions =>
  CONSUMERS.map(consumer => ({ name: `tuned-${consumer}`, consumer, lanes: 1, actions }));
