/** The pipelines of examples/pipelines that are tuned, at sizes of which an epoch takes about a second. */
import { fileURLToPath } from 'node:url';

/**
 * `root`: the operator whose elements count, where none reach a consumer. `epochs`: how often the pipeline is said to be run through, and
 * many times unless it says otherwise; a job that is done once has no use for caches. `grid(cores)`: what an exhaustive search goes through, every
 * combination of lanes beside each cache; no lanes: the operator rides along with the one before it.
 */
const EXAMPLES = {
  images: {
    params: { images: 160 },
    grid: cores => [
      { lanes: { read: [0, cores], decode: [0, cores], normalise: [0, 1] } },
      { cache: 'read', lanes: { decode: [0, cores] } },
      { cache: 'decode', lanes: { crop: [0, cores], normalise: [0, 1] } },
    ],
  },
  'images-fused': {
    params: { images: 160 },
    grid: cores => [
      { lanes: { read: [0, cores], crop: [0, cores], normalise: [0, 1] } },
      { cache: 'read', lanes: { crop: [0, cores], normalise: [0, 1] } },
    ],
  },
  'slow-storage': {
    params: { images: 160 },
    grid: cores => [
      { lanes: { read: [0, 4, 8], decode: [0, cores] } },
      { cache: 'read', lanes: { decode: [0, cores] } },
      { cache: 'decode', lanes: { crop: [0, cores], normalise: [0, 1] } },
    ],
  },
  detection: {
    params: { scenes: 100 },
    grid: cores => [
      { lanes: { unpack: [0, 1, cores], normalise: [0, 1] } },
      { calls: { unpack: 4 }, lanes: { unpack: [0, 1], normalise: [0, 1] } },
      { cache: 'boxes', lanes: { flip: [0, cores], normalise: [0, 1] } },
    ],
  },
  'packed-text': {
    params: { sentences: 20_000 },
    grid: cores => [
      { lanes: { tokens: [0, 1, cores], mask: [0, 1, cores] } },
      { cache: 'tokens', lanes: { mask: [0, 1, cores] } },
    ],
  },
  translation: {
    params: { pairs: 20_000 },
    grid: cores => [{ lanes: { clean: [0, 1, cores], pad: [0, cores] } }, { cache: 'belong', lanes: { pad: [0, 1] } }],
  },
  tabular: {
    params: { rows: 50_000 },
    grid: cores => [
      { lanes: { returned: [0, cores], features: [0, 1, cores] } },
      { cache: 'returned', lanes: { features: [0, 1, cores] } },
      { cache: 'features', lanes: {} },
    ],
  },
  ocr: {
    params: { pages: 30 },
    root: 'pdf-writer',
    epochs: 1,
    grid: cores => [{ lanes: { reader: [0, cores], ocr: [1, cores], pdf: [1, cores] } }],
  },
};

export const NAMES = Object.keys(EXAMPLES);

/** With other parameters where they are given. */
export function example(name, params = {}) {
  if (!NAMES.includes(name)) throw new Error(`there is no example ${name}, but ${NAMES.join(', ')}`);
  return {
    name,
    file: fileURLToPath(new URL(`../../examples/pipelines/${name}.ts`, import.meta.url)),
    ...EXAMPLES[name],
    params: { ...EXAMPLES[name].params, ...params },
  };
}
