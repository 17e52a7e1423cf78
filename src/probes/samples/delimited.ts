/** Rows of a delimited text; cells may be quoted. The delimiter is the one that its fullest line has most of. */
export function delimitedRows(text: string): string[][] {
  const delimiter = delimiterOf(text);
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let isQuoted = false;
  const endCell = (): void => {
    row.push(cell.trim());
    cell = '';
  };
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (isQuoted) {
      if (char !== '"') cell += char;
      else if (text[at + 1] === '"') {
        cell += '"';
        at++;
      } else isQuoted = false;
    } else if (char === '"' && cell.trim() === '') {
      cell = '';
      isQuoted = true;
    } else if (char === delimiter) endCell();
    else if (char === '\n') {
      endCell();
      rows.push(row);
      row = [];
    } else if (char !== '\r') cell += char;
  }
  endCell();
  rows.push(row);
  return rows;
}

function delimiterOf(text: string): string {
  const lines = text.slice(0, 65_536).split('\n');
  const most = (delimiter: string): number => Math.max(...lines.map(line => line.split(delimiter).length));
  return ['\t', ';', ','].reduce((best, candidate) => (most(candidate) > most(best) ? candidate : best), ',');
}
