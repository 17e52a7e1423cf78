/** A Python that has PyTorch and torchvision, or why there is none. */
import { fileURLToPath } from 'node:url';
import { inProcess } from '../harness.mjs';

const VERSIONS = `
import json, sys, torch, torchvision, PIL
print(json.dumps({"python": sys.version.split()[0], "torch": torch.__version__, "torchvision": torchvision.__version__, "pillow": PIL.__version__}))
`;

/** The system's own comes second: where the first lacks the packages, Debian's python3-torch is found there. */
const PLACES = ['python3', '/usr/bin/python3'];

export async function findTorch() {
  let absent;
  for (const python of PLACES) {
    try {
      return { python, versions: await inProcess(python, ['-c', VERSIONS]) };
    } catch (error) {
      absent ??= error.stderr?.trim().split('\n').at(-1) || error.message;
    }
  }
  return { absent: `no Python with PyTorch and torchvision (${absent})` };
}

/** Runs a script of this folder. */
export const runPeer = ({ python }, script, args) =>
  inProcess(python, [fileURLToPath(new URL(script, import.meta.url)), ...args]);

/** The variant that takes the least CPU time: that one is the peer. */
export async function fastestVariant(variants, run) {
  const least = new Map();
  for (let round = 0; round < 2; round++) {
    for (const variant of variants) {
      const { cpu } = await run(variant);
      least.set(variant, Math.min(cpu, least.get(variant) ?? Number.POSITIVE_INFINITY));
    }
  }
  return variants.reduce((best, variant) => (least.get(variant) < least.get(best) ? variant : best));
}
