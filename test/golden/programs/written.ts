import { merge, pipeline, range } from 'venturi/engine';

/** Waits as a request does. */
const answer = async (n: number): Promise<number> => {
  await new Promise(resolve => setTimeout(resolve, 20));
  return n * 2;
};

/** One source and two sinks: both get what is answered, and each writes it in its own way. */
export default pipeline(import.meta, { n: 250 }, ({ n }) => {
  const answers = range(n).map(answer, { name: 'answer', concurrency: 2 });
  return merge([
    answers.filter(value => value % 3 === 0, { name: 'thirds' }).map(String, { name: 'text' }).writeLines('thirds.txt'),
    answers.map(value => ({ value }), { name: 'row' }).writeJsonl('rows.jsonl'),
  ]);
});
