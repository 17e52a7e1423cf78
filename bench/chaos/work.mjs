/**
 * Images and text, some of it cached, some awaited, some written, in seven threads: what a process is in the middle of when it meets its end.
 * `act` happens in a lane, at the element `at` of one stage.
 */
import { join } from 'node:path';
import { decodeJpeg, files, lines, merge, pipeline, readFile, resize } from 'venturi/engine';

const PARAMETERS = { folder: String, out: String, passes: 1, act: 'none', at: 0 };

export default pipeline(import.meta, PARAMETERS, ({ folder, out, passes, act, at }) => {
  const pictures = files(join(folder, 'images'), { extensions: ['.jpg'] })
    .repeat(passes)
    .map(readFile, { name: 'read' })
    .map(decodeJpeg, { name: 'decode', parallelism: 2, random: false })
    .map(image => resize(image, 64, 48), { name: 'resize' })
    .map(acting(act, at), { name: 'act', parallelism: 1 });
  const words = lines(join(folder, 'words.txt'))
    .map(line => line.split(' '), { name: 'words', parallelism: 1 })
    .cache({ folder: join(out, 'cache'), version: '1' })
    .repeat(passes)
    .map(lookUp, { name: 'look up', parallelism: 1, concurrency: 8 });
  const written = words.map(list => list.join(','), { name: 'joined' }).writeLines(join(out, 'words.csv'));
  return merge([pictures.map(({ data }) => data.length, { name: 'measure' }), words.map(list => list.length), written]);
});

/** A call that is waited for. */
async function lookUp(words) {
  await new Promise(resolve => setTimeout(resolve, 1));
  return words;
}

/** What goes wrong in functions of users. */
function acting(act, at) {
  return (image, { index }) => {
    if (index === at) acts[act]?.();
    return image;
  };
}

const acts = {
  'exit in a lane': () => process.exit(3),
  'throw in a function': () => {
    throw new RangeError('chaos');
  },
  'throw in a timer': () => {
    setTimeout(() => {
      throw new RangeError('chaos');
    });
  },
  'floating rejection': () => {
    void Promise.reject(new RangeError('chaos'));
  },
};
