/**
 * The plans of `venturi/relational` as pull iterators: every operator is a function that gives the next row, an object, or undefined. Expressions
 * are closures. Rows have only the columns that somebody above asks for. It is what the compiled queries are compared with, and it shares
 * no code with them.
 */
export function rowsOf(plan) {
  const next = open(plan, new Set(plan.schema.keys()));
  const rows = [];
  for (let row = next(); row !== undefined; row = next()) rows.push(row);
  return rows;
}

function open(plan, needed) {
  switch (plan.kind) {
    case 'scan':
      return scan(plan, needed);
    case 'filter': {
      const next = open(plan.input, union(needed, columnsIn(plan.condition)));
      const holds = closure(plan.condition);
      return () => {
        let row = next();
        while (row !== undefined && holds(row) !== true) row = next();
        return row;
      };
    }
    case 'project': {
      const columns = [...plan.columns].filter(([name]) => needed.has(name));
      const next = open(plan.input, union(...columns.map(([, of]) => columnsIn(of))));
      const values = columns.map(([name, of]) => [name, closure(of)]);
      return () => {
        const row = next();
        if (row === undefined) return undefined;
        const own = {};
        for (const [name, value] of values) own[name] = value(row);
        return own;
      };
    }
    case 'join':
      return join(plan, needed);
    case 'groupBy':
      return listed(() => grouped(plan));
    case 'orderBy':
      return listed(() => sorted(plan, needed));
    case 'limit': {
      const next = open(plan.input, needed);
      let left = plan.count;
      return () => (left-- > 0 ? next() : undefined);
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
  const columns = Object.entries(table.columns)
    .filter(([name]) => needed.has(`${prefix}${name}`))
    .map(([name, { type, data, dictionary, nulls }]) => {
      const value =
        dictionary !== undefined
          ? row => dictionary[data[row]]
          : type === 'boolean'
            ? row => data[row] === 1
            : row => data[row];
      return [`${prefix}${name}`, nulls === undefined ? value : row => (nulls[row] === 1 ? null : value(row))];
    });
  let at = 0;
  return () => {
    if (at === table.rows) return undefined;
    const row = {};
    for (const [name, value] of columns) row[name] = value(at);
    at++;
    return row;
  };
}

/** A key as something that a Map knows again; undefined: it matches nothing. */
function keyOf(names) {
  if (names.length === 1) return row => row[names[0]] ?? undefined;
  return row => (names.some(name => row[name] === null) ? undefined : names.map(name => row[name]).join('\u0000'));
}

function join({ left, right, on, how, condition, schema }, needed) {
  const wanted = condition === undefined ? needed : union(needed, columnsIn(condition));
  const of = side => new Set([...side.schema.keys()].filter(name => wanted.has(name)));
  const next = open(left, union(of(left), new Set(on.map(each => each.left))));
  const holds = condition === undefined ? () => true : closure(condition);
  const leftKey = keyOf(on.map(each => each.left));
  let table;
  const build = () => {
    const rightKey = keyOf(on.map(each => each.right));
    const rows = open(right, union(of(right), new Set(on.map(each => each.right))));
    table = new Map();
    for (let row = rows(); row !== undefined; row = rows()) {
      const key = rightKey(row);
      if (key === undefined) continue;
      const chain = table.get(key);
      if (chain === undefined) table.set(key, [row]);
      else chain.push(row);
    }
  };
  const none = Object.fromEntries([...right.schema.keys()].filter(name => schema.has(name)).map(name => [name, null]));
  let pending = [];
  let at = 0;
  return () => {
    if (table === undefined) build();
    for (;;) {
      if (at < pending.length) return pending[at++];
      const row = next();
      if (row === undefined) return undefined;
      const matches = table.get(leftKey(row)) ?? [];
      if (how === 'semi' || how === 'anti') {
        const hit = matches.some(match => holds({ ...row, ...match }) === true);
        if (hit === (how === 'semi')) return row;
        continue;
      }
      pending = [];
      at = 0;
      for (const match of matches) {
        const pair = { ...row, ...match };
        if (holds(pair) === true) pending.push(pair);
      }
      if (how === 'left' && pending.length === 0) return { ...row, ...none };
    }
  };
}

function grouped({ input, keys, aggregates }) {
  const kept = [...aggregates].map(([name, { kind, of }]) => ({
    name,
    kind,
    value: of === undefined ? undefined : closure(of),
  }));
  const used = [...aggregates.values()].flatMap(({ of }) => (of === undefined ? [] : [columnsIn(of)]));
  const next = open(input, union(new Set(keys), ...used));
  const groups = new Map();
  const begin = row => ({
    row,
    states: kept.map(({ kind }) => ({
      count: 0,
      sum: 0,
      best: null,
      seen: kind === 'countDistinct' ? new Set() : undefined,
    })),
  });
  const keyText = keys.length === 1 ? row => row[keys[0]] : row => keys.map(key => row[key]).join('\u0000');
  if (keys.length === 0) groups.set('', begin({}));
  for (let row = next(); row !== undefined; row = next()) {
    const key = keyText(row);
    let group = groups.get(key);
    if (group === undefined) {
      group = begin(row);
      groups.set(key, group);
    }
    for (let at = 0; at < kept.length; at++) {
      const { kind, value } = kept[at];
      const state = group.states[at];
      const own = value === undefined ? 1 : value(row);
      if (own === null) continue;
      state.count++;
      if (kind === 'sum' || kind === 'avg') state.sum += own;
      else if (kind === 'countDistinct') state.seen.add(own);
      else if (kind === 'min' && (state.best === null || own < state.best)) state.best = own;
      else if (kind === 'max' && (state.best === null || own > state.best)) state.best = own;
    }
  }
  return [...groups.values()].map(({ row, states }) => {
    const result = {};
    for (const key of keys) result[key] = row[key];
    kept.forEach(({ name, kind }, at) => {
      const { count, sum, best, seen } = states[at];
      if (kind === 'count') result[name] = count;
      else if (kind === 'countDistinct') result[name] = seen.size;
      else if (kind === 'min' || kind === 'max') result[name] = best;
      else result[name] = count === 0 ? null : kind === 'sum' ? sum : sum / count;
    });
    return result;
  });
}

function sorted({ input, by }, needed) {
  const next = open(input, union(needed, new Set(by.map(({ column }) => column))));
  const rows = [];
  for (let row = next(); row !== undefined; row = next()) rows.push(row);
  return rows.sort((a, b) => {
    for (const { column, descending } of by) {
      const [x, y] = [a[column], b[column]];
      if (x === y) continue;
      if (x === null || y === null) return x === null ? 1 : -1;
      return (x < y ? -1 : 1) * (descending ? -1 : 1);
    }
    return 0;
  });
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

function closure(expression) {
  const [first, second] = partsOf(expression).map(closure);
  switch (expression.kind) {
    case 'column': {
      const { name } = expression;
      return row => row[name];
    }
    case 'constant': {
      const { value } = expression;
      return () => value;
    }
    case 'arithmetic':
    case 'comparison': {
      const apply = (expression.kind === 'arithmetic' ? ARITHMETIC : COMPARISON)[expression.operator];
      return row => {
        const [a, b] = [first(row), second(row)];
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
      const [when, value, otherwise] = partsOf(expression).map(closure);
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
