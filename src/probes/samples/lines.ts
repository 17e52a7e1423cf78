/** The lines of a text that comes in pieces; no more of it is held than the line that is not yet whole. */
export async function* linesOf(
  pieces: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<string, void, undefined> {
  let rest = '';
  for await (const piece of pieces) {
    let from = 0;
    for (let end = piece.indexOf('\n'); end !== -1; end = piece.indexOf('\n', from)) {
      yield rest + piece.slice(from, end);
      rest = '';
      from = end + 1;
    }
    rest += piece.slice(from);
  }
  if (rest !== '') yield rest;
}
