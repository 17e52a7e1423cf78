import type { ControlMarks } from '../../../probes/pytorch/control.ts';
import type { StartedPython } from '../../../probes/pytorch/started-pythons.ts';
import { truncate } from '../../../report/width.ts';

const BY_HAND = 'PYTHONPATH=$(npm root)/venturi/python python3 -m venturi_probe SCRIPT';
const INSIDE = 'in the program, before its first loop: import venturi_probe; venturi_probe.record("first")';

/** Why there is no recording of a program, by what was seen of it, and what to do. `pythons`: undefined where nobody could look. */
export function nothingRecorded(
  { probeLoaded, dataImported, foreignLoaders }: ControlMarks,
  pythons: readonly StartedPython[] | undefined,
): string {
  if (foreignLoaders.length > 0) {
    return (
      `Nothing was recorded: this program loads with ${foreignLoaders.join(' and ')}, which Venturi does not see. ` +
      "It records PyTorch's DataLoader, and this program iterated over none."
    );
  }
  if (dataImported) return 'Nothing was recorded: the program imported PyTorch, but iterated over no DataLoader.';
  const hindered = pythons?.filter(({ hindrance }) => hindrance !== undefined) ?? [];
  // The last one is nearest to the work: launchers come before what they launch.
  const last = hindered.at(-1);
  if (last !== undefined) return `Nothing was recorded: ${hindranceWords(last)}`;
  if (probeLoaded) {
    return (
      'Nothing was recorded: Python ran, but never imported torch.utils.data. If the program uses PyTorch, ' +
      'see that the Python it starts has it: python3 -c "import torch.utils.data"'
    );
  }
  if (pythons === undefined) {
    return (
      'Nothing was recorded: the command started no Python, or one that ignores its environment (-I, -E, -S) or was given another. ' +
      `By hand: ${BY_HAND}`
    );
  }
  const [entered] = pythons;
  if (entered !== undefined) {
    return `Nothing was recorded: ${shown(entered)} was handed the probe and did not start it. It takes Python 3.8 or newer.`;
  }
  return (
    'Nothing was recorded: the command started no Python that lasted a tenth of a second. One in a container or on another machine ' +
    `has to be recorded there; by hand: ${BY_HAND}`
  );
}

function hindranceWords(python: StartedPython): string {
  const { hindrance } = python;
  const who = shown(python);
  switch (hindrance?.type) {
    case 'option':
      return `${who} was started with ${hindrance.option}, which keeps the probe out. Leave ${hindrance.option} out, or record ${INSIDE}`;
    case 'environment':
      return (
        `${who} was started with an environment of its own, in which VENTURI_RUN and PYTHONPATH are missing. Whoever starts it has to ` +
        'hand its own on (subprocess: env={**os.environ, ...}; env without -i; sudo --preserve-env), or put venturi record right before that Python.'
      );
    case 'path':
      return (
        `PYTHONPATH was ${hindrance.path === undefined ? 'taken away' : `set to ${hindrance.path}`} by whoever started ${who}. Keep what is in it ` +
        '(PYTHONPATH=src:$PYTHONPATH), or put venturi record right before that Python.'
      );
    case 'shadowed':
      return `${who} finds ${hindrance.file} before the probe's. Put its folder behind what is in PYTHONPATH (PYTHONPATH=$PYTHONPATH:src).`;
    default:
      return `${who} runs as another user, and what it was given cannot be seen. Record it as that user: sudo venturi record -- python train.py`;
  }
}

/** Cells of a command that are shown: a line of a terminal, which has 80 columns by tradition. */
const MOST_SHOWN = 80;

const shown = ({ pid, command }: StartedPython): string =>
  `${truncate(command.join(' '), MOST_SHOWN)} (process ${pid})`;
