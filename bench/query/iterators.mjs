/**
 * The plans of `venturi/relational` as pull iterators: every operator is a function that gives the next row, or undefined. A row is an array of
 * the columns that somebody above asks for, at places that are known when the plan is opened; expressions are closures. It is what the
 * compiled queries are compared with, and it shares no code with them.
 */
export function rowsOf(plan) {
  const names = [...plan.schema.keys()];
  const { next, place } = open(plan, new Set(names));
  const places = names.map(name => [name, place(name)]);
  const rows = [];
  for (let row = next(); row !== undefined; row = next()) {
    const own = {};
    for (const [name, at] of places) own[name] = row[at];
    rows.push(own);
  }
  return rows;
}

/** Rows with the columns `names`, in this order. */
const layout = names => {
  const places = new Map(names.map((name, at) => [name, at]));
  return name => places.get(name);
};

function open(plan, needed) {
  switch (plan.kind) {
    case 'scan':
      return scan(plan, needed);
    case 'filter': {
      const { next, place } = open(plan.input, union(needed, columnsIn(plan.condition)));
      const holds = closure(plan.condition, place);
      const own = () => {
        let row = next();
        while (row !== undefined && holds(row) !== true) row = next();
        return row;
      };
      return { next: own, place };
    }
    case 'project': {
      const columns = [...plan.columns].filter(([name]) => needed.has(name));
      const { next, place } = open(plan.input, union(...columns.map(([, of]) => columnsIn(of))));
      const values = columns.map(([, of]) => closure(of, place));
      const own = () => {
        const row = next();
        if (row === undefined) return undefined;
        const made = new Array(values.length);
        for (let at = 0; at < values.length; at++) made[at] = values[at](row);
        return made;
      };
      return { next: own, place: layout(columns.map(([name]) => name)) };
    }
    case 'join':
      return join(plan, needed);
    case 'groupBy':
      return grouped(plan);
    case 'orderBy':
      return sorted(plan, needed);
    case 'limit': {
      const { next, place } = open(plan.input, needed);
      let left = plan.count;
      return { next: () => (left-- > 0 ? next() : undefined), place };
    }
  }
}

function listed(make) {
  let rows;
  let at = 0;
  return () => {
    rows ??= make();
    return rows[at++];
  };
}

function scan({ table, prefix }, needed) {
  const names = Object.keys(table.columns).filter(name => needed.has(`${prefix}${name}`));
  const columns = names.map(name => {
    const { type, data, dictionary, nulls } = table.columns[name];
    const value =
      dictionary !== undefined
        ? row => dictionary[data[row]]
        : type === 'boolean'
          ? row => data[row] === 1
          : row => data[row];
    return nulls === undefined ? value : row => (nulls[row] === 1 ? null : value(row));
  });
  const { rows } = table;
  let at = 0;
  const next = () => {
    if (at === rows) return undefined;
    const row = new Array(columns.length);
    for (let column = 0; column < columns.length; column++) row[column] = columns[column](at);
    at++;
    return row;
  };
  return { next, place: layout(names.map(name => `${prefix}${name}`)) };
}

/** A key as something that a Map knows again; undefined: it matches nothing. */
function keyOf(places) {
  const [first, second] = places;
  if (places.length === 1) return row => row[first] ?? undefined;
  if (places.length === 2) {
    return row => (row[first] === null || row[second] === null ? undefined : `${row[first]} ${row[second]}`);
  }
  return row => (places.some(at => row[at] === null) ? undefined : places.map(at => row[at]).join(' '));
}

function join({ left, right, on, how, condition }, needed) {
  const wanted = condition === undefined ? needed : union(needed, columnsIn(condition));
  const of = side => [...side.schema.keys()].filter(name => wanted.has(name));
  const ours = open(left, union(new Set(of(left)), new Set(on.map(each => each.left))));
  const theirs = open(right, union(new Set(of(right)), new Set(on.map(each => each.right))));
  const [leftNames, rightNames] = [of(left), of(right)];
  const leftKey = keyOf(on.map(each => ours.place(each.left)));
  const rightKey = keyOf(on.map(each => theirs.place(each.right)));
  const isFilter = how === 'semi' || how === 'anti';
  const place = layout([...leftNames, ...rightNames]);
  const holds = condition === undefined ? undefined : closure(condition, place);
  const leftPlaces = leftNames.map(ours.place);
  const rightPlaces = rightNames.map(theirs.place);
  const pair = (row, match) => {
    const made = new Array(leftPlaces.length + rightPlaces.length);
    for (let at = 0; at < leftPlaces.length; at++) made[at] = row[leftPlaces[at]];
    for (let at = 0; at < rightPlaces.length; at++)
      made[leftPlaces.length + at] = match === undefined ? null : match[rightPlaces[at]];
    return made;
  };
  let table;
  const build = () => {
    table = new Map();
    for (let row = theirs.next(); row !== undefined; row = theirs.next()) {
      const key = rightKey(row);
      if (key === undefined) continue;
      const chain = table.get(key);
      if (chain === undefined) table.set(key, [row]);
      else chain.push(row);
    }
  };
  let [current, matches, at, met] = [undefined, [], 0, true];
  const next = () => {
    if (table === undefined) build();
    for (;;) {
      while (at < matches.length) {
        const made = pair(current, matches[at++]);
        if (holds !== undefined && holds(made) !== true) continue;
        met = true;
        return made;
      }
      if (!met) {
        met = true;
        return pair(current, undefined);
      }
      const row = ours.next();
      if (row === undefined) return undefined;
      const found = table.get(leftKey(row)) ?? NOTHING;
      if (isFilter) {
        const hit = holds === undefined ? found.length > 0 : found.some(match => holds(pair(row, match)) === true);
        if (hit === (how === 'semi')) return row;
        continue;
      }
      current = row;
      matches = found;
      at = 0;
      met = how !== 'left';
    }
  };
  return { next, place: isFilter ? ours.place : place };
}

const NOTHING = [];

function grouped({ input, keys, aggregates }) {
  const used = [...aggregates.values()].flatMap(({ of }) => (of === undefined ? [] : [columnsIn(of)]));
  const { next, place } = open(input, union(new Set(keys), ...used));
  const kept = [...aggregates.values()].map(({ kind, of }) => ({
    kind,
    value: of === undefined ? () => 1 : closure(of, place),
  }));
  const keyPlaces = keys.map(place);
  const [first, second] = keyPlaces;
  const keyText =
    keys.length === 1
      ? row => row[first]
      : keys.length === 2
        ? row => `${row[first]}\u0000${row[second]}`
        : row => keyPlaces.map(at => row[at]).join('\u0000');
  const begin = row => ({
    row,
    states: kept.map(({ kind }) => ({
      count: 0,
      sum: 0,
      best: null,
      seen: kind === 'countDistinct' ? new Set() : undefined,
    })),
  });
  const make = () => {
    const groups = new Map();
    if (keys.length === 0) groups.set('', begin([]));
    for (let row = next(); row !== undefined; row = next()) {
      const key = keys.length === 0 ? '' : keyText(row);
      let group = groups.get(key);
      if (group === undefined) {
        group = begin(row);
        groups.set(key, group);
      }
      for (let at = 0; at < kept.length; at++) add(group.states[at], kept[at].kind, kept[at].value(row));
    }
    return [...groups.values()].map(({ row, states }) => [
      ...keyPlaces.map(at => row[at]),
      ...states.map((state, at) => resultOf(state, kept[at].kind)),
    ]);
  };
  return { next: listed(make), place: layout([...keys, ...aggregates.keys()]) };
}

function add(state, kind, value) {
  if (value === null) return;
  state.count++;
  if (kind === 'sum' || kind === 'avg') state.sum += value;
  else if (kind === 'countDistinct') state.seen.add(value);
  else if (kind === 'min' && (state.best === null || value < state.best)) state.best = value;
  else if (kind === 'max' && (state.best === null || value > state.best)) state.best = value;
}

function resultOf({ count, sum, best, seen }, kind) {
  if (kind === 'count') return count;
  if (kind === 'countDistinct') return seen.size;
  if (kind === 'min' || kind === 'max') return best;
  if (count === 0) return null;
  return kind === 'sum' ? sum : sum / count;
}

function sorted({ input, by }, needed) {
  const { next, place } = open(input, union(needed, new Set(by.map(({ column }) => column))));
  const order = by.map(({ column, descending }) => ({ at: place(column), sign: descending ? -1 : 1 }));
  const make = () => {
    const rows = [];
    for (let row = next(); row !== undefined; row = next()) rows.push(row);
    return rows.sort((a, b) => {
      for (const { at, sign } of order) {
        const x = a[at];
        const y = b[at];
        if (x === y) continue;
        if (x === null || y === null) return x === null ? 1 : -1;
        return x < y ? -sign : sign;
      }
      return 0;
    });
  };
  return { next: listed(make), place };
}

const union = (...sets) => new Set(sets.flatMap(set => [...set]));

const partsOf = ({ left, right, when, value, otherwise, of, kind }) =>
  (kind === 'constant' ? [] : [left, right, when, value, otherwise, of]).filter(part => part !== undefined);

const columnsIn = expression =>
  expression.kind === 'column' ? new Set([expression.name]) : union(...partsOf(expression).map(columnsIn));

const ARITHMETIC = { '+': (a, b) => a + b, '-': (a, b) => a - b, '*': (a, b) => a * b, '/': (a, b) => a / b };
const COMPARISON = {
  '=': (a, b) => a === b,
  '<>': (a, b) => a !== b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
};

/** `place` says where in a row a column is. */
function closure(expression, place) {
  const [first, second] = partsOf(expression).map(part => closure(part, place));
  switch (expression.kind) {
    case 'column': {
      const at = place(expression.name);
      return row => row[at];
    }
    case 'constant': {
      const { value } = expression;
      return () => value;
    }
    case 'arithmetic':
    case 'comparison': {
      const apply = (expression.kind === 'arithmetic' ? ARITHMETIC : COMPARISON)[expression.operator];
      return row => {
        const a = first(row);
        const b = second(row);
        return a === null || b === null ? null : apply(a, b);
      };
    }
    case 'and':
    case 'or': {
      const decides = expression.kind === 'or';
      return row => {
        const a = first(row);
        if (a === decides) return a;
        const b = second(row);
        return b === decides ? b : a === null ? null : b;
      };
    }
    case 'not':
      return row => {
        const value = first(row);
        return value === null ? null : !value;
      };
    case 'isNull':
      return row => first(row) === null;
    case 'case': {
      const [when, value, otherwise] = partsOf(expression).map(part => closure(part, place));
      return row => (when(row) === true ? value(row) : otherwise(row));
    }
    case 'like': {
      const pattern = new RegExp(
        `^${expression.pattern
          .replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
          .replaceAll('%', '.*')
          .replaceAll('_', '.')}$`,
        's',
      );
      return row => {
        const text = first(row);
        return text === null ? null : pattern.test(text);
      };
    }
    case 'in': {
      const values = new Set(expression.values);
      return row => {
        const value = first(row);
        return value === null ? null : values.has(value);
      };
    }
    case 'extract': {
      const read = { year: 'getUTCFullYear', month: 'getUTCMonth', day: 'getUTCDate' }[expression.part];
      return row => {
        const day = first(row);
        return day === null ? null : new Date(day * 86_400_000)[read]() + (read === 'getUTCMonth' ? 1 : 0);
      };
    }
    case 'substring':
      return row => first(row)?.slice(expression.from - 1, expression.from - 1 + expression.length) ?? null;
    case 'scalar': {
      let value;
      return () => {
        value ??= Object.values(rowsOf(expression.plan)[0] ?? {})[0] ?? null;
        return value;
      };
    }
  }
}
