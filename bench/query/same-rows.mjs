/** Sums are added up in another order: relative difference that is none. */
const TOLERANCE = 1e-9;

const isFraction = value => typeof value === 'number' && !Number.isInteger(value);

/** What differs between two results, in words; undefined where nothing does. Rows that the query leaves in any order may be in any. */
export function difference(own, other) {
  if (own.length !== other.length) return `${own.length} rows and ${other.length}`;
  const names = Object.keys(own[0] ?? {}).sort();
  const exact = names.filter(name => [...own, ...other].every(row => !isFraction(row[name])));
  const fractions = names.filter(name => !exact.includes(name));
  const [ours, theirs] = [own, other].map(rows => sorted(rows, exact, fractions));
  for (const [at, row] of ours.entries()) {
    const differs = names.find(name => !isSame(row[name], theirs[at][name]));
    if (differs !== undefined) return `${differs} of row ${at}: ${row[differs]} and ${theirs[at][differs]}`;
  }
  return undefined;
}

function isSame(a, b) {
  if (typeof a !== 'number' || typeof b !== 'number') return a === b;
  return Math.abs(a - b) <= TOLERANCE * Math.max(Math.abs(a), Math.abs(b));
}

/** By what must be equal exactly, then by fractions. */
function sorted(rows, exact, fractions) {
  const texts = new Map(rows.map(row => [row, JSON.stringify(exact.map(name => row[name]))]));
  return rows.toSorted((a, b) => {
    const [x, y] = [texts.get(a), texts.get(b)];
    if (x !== y) return x < y ? -1 : 1;
    const by = fractions.find(name => a[name] !== b[name]);
    return by === undefined ? 0 : a[by] - b[by];
  });
}
