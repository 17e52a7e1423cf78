/** A Python that has PyTorch and torchvision, or why there is none. */
import { fileURLToPath } from 'node:url';
import { inProcess, medianOf } from '../harness.mjs';

const VERSIONS = `
import json, sys, torch, torchvision, PIL
print(json.dumps({"python": sys.version.split()[0], "torch": torch.__version__, "torchvision": torchvision.__version__, "pillow": PIL.__version__}))
`;

/** The system's own comes second: where the first lacks the packages, Debian's python3-torch is found there. */
const PYTHONS = ['python3', '/usr/bin/python3'];

export async function findTorch() {
  let absent;
  for (const python of PYTHONS) {
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

/** What a comparison with torch's loader came to, `per` element of this kind in so many parts of a second. */
export const comparedWith = (torch, { cpu, wall, ours, peer }, [per, inSecond], facts) => ({
  ...cpu,
  unit: 'x CPU',
  wall: wall.value,
  wallLow: wall.low,
  wallHigh: wall.high,
  ...facts,
  ...torch.versions,
  [`${per}Ours`]: inSecond * medianOf(ours, 'cpu'),
  [`${per}Peer`]: inSecond * medianOf(peer, 'cpu'),
});
