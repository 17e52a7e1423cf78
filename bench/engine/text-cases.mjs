/**
 * Text against PyTorch's DataLoader: lines → tokens → ids → batches of 64 padded rows, with the engine's own tokenizer and with
 * a function of the user's. All ids of all batches are the same on both sides: their hashes are compared first.
 */
import { fastestVariant, inChild, interleaved } from '../harness.mjs';
import { makeCorpus } from './corpus.mjs';
import { recordingCase } from './recording-case.mjs';
import { comparedWith, findTorch, runPeer } from './torch.mjs';

const LINES = 400_000;
const TRIAL_LINES = 60_000;
/** Over the text while it is recorded: about a second of CPU, in which what is done once weighs most, and as long as a recording is. */
const RECORDED = { text: { passes: 1, rounds: 48 }, 'text-long': { passes: 8, rounds: 12 } };
const RUN = new URL('./text-run.mjs', import.meta.url).href;
const PEER = './text_peer.py';
/** A user's function on both sides works on text; against the built-in one Python may also work on bytes. */
const VARIANTS = {
  builtin: ['text-rows', 'text-together', 'bytes-rows', 'bytes-together'],
  udf: ['text-rows', 'text-together'],
};

export async function textCases(report, folder) {
  const { text, vocabulary } = await makeCorpus(folder, LINES);
  const torch = await findTorch();
  for (const [by, goal] of [
    ['builtin', '>= 5'],
    ['udf', '>= 2'],
  ]) {
    const name = `text/torch-dataloader-${by}`;
    if (torch.absent === undefined) await against(report, torch, { name, by, goal, text, vocabulary });
    else report({ case: name, absent: torch.absent });
  }
  for (const [name, { passes, rounds }] of Object.entries(RECORDED)) {
    await recordingCase(report, folder, {
      name,
      run: ({ recording, watch, core }) =>
        inChild(RUN, [text, vocabulary, 'builtin', LINES, passes, ...[recording, watch].filter(Boolean)], { core }),
      elements: LINES * passes,
      rounds,
      goal: '<= 0.02',
    });
  }
}

async function against(report, torch, { name, by, goal, text, vocabulary }) {
  const peerOf = (variant, ...more) => runPeer(torch, PEER, [text, vocabulary, variant, ...more]);
  const variant = await fastestVariant(VARIANTS[by], tried => peerOf(tried, TRIAL_LINES));
  const { hash } = await inChild(RUN, [text, vocabulary, by, LINES, 1, 'hash']);
  const theirs = await peerOf(variant, 'hash');
  if (hash !== theirs.hash) throw new Error(`${name}: the ids differ`);
  const compared = await interleaved({
    ours: () => inChild(RUN, [text, vocabulary, by, LINES, 1]),
    peer: () => peerOf(variant),
    rounds: 7,
  });
  if (new Set([...compared.ours, ...compared.peer].map(({ sum }) => sum)).size !== 1)
    throw new Error(`${name}: the ids differ`);
  const facts = { equalIds: hash, peer: variant };
  report({ case: name, ...comparedWith(torch, compared, ['nsPerLine', 1e9], facts), goal });
}
