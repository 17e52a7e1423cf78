/** A pipeline as it was drawn: `spec` is what `drawn.mjs` says of it, as JSON. */
import { merge, pipeline, range, zip } from 'venturi/engine';
import { carryOut } from './steps.mjs';

const JOINS = { zip, merge };

export default pipeline(import.meta, { spec: String }, ({ spec }) => {
  const { elements, branches, join, steps } = JSON.parse(spec);
  const sources = branches.map((branch, at) => carryOut(branch, range(elements, { name: `source-${at}` })));
  return carryOut(steps, join === undefined ? sources[0] : JOINS[join](sources, { name: 'join' }));
});
