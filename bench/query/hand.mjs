/**
 * Four of the queries written by hand over the same columns, as one would write them for speed: chained hash tables in typed arrays, as the
 * compiled queries have them, but groups in plain arrays where their keys allow it (Q1, Q3, Q9), which no plan knows.
 */
import { day } from './tpch.mjs';

const columnsOf = table => Object.fromEntries(Object.entries(table.columns).map(([name, { data }]) => [name, data]));
const textsOf = (table, column) => table.columns[column].dictionary;
const hash = key => {
  const mixed = Math.imul(key, 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
};

/** Rows of `keys` that `holds` keeps, chained by hash. */
function chained(keys, rows, holds) {
  let mask = 2;
  while (mask < 2 * rows) mask *= 2;
  mask--;
  const heads = new Int32Array(mask + 1);
  const next = new Int32Array(rows);
  for (let row = rows - 1; row >= 0; row--) {
    if (!holds(row)) continue;
    const at = hash(keys[row]) & mask;
    next[row] = heads[at];
    heads[at] = row + 1;
  }
  return { heads, next, mask };
}

export const handLoops = tables => ({
  q1() {
    const { l_discount, l_extendedprice, l_linestatus, l_quantity, l_returnflag, l_shipdate, l_tax } = columnsOf(
      tables.lineitem,
    );
    const [flags, states] = [textsOf(tables.lineitem, 'l_returnflag'), textsOf(tables.lineitem, 'l_linestatus')];
    const until = day('1998-09-02');
    const groups = flags.length * states.length;
    const [qty, base, disc, charge, discount, counts] = Array.from({ length: 6 }, () => new Float64Array(groups));
    for (let row = 0; row < l_shipdate.length; row++) {
      if (l_shipdate[row] > until) continue;
      const group = l_returnflag[row] * states.length + l_linestatus[row];
      const price = l_extendedprice[row];
      const revenue = price * (1 - l_discount[row]);
      qty[group] += l_quantity[row];
      base[group] += price;
      disc[group] += revenue;
      charge[group] += revenue * (1 + l_tax[row]);
      discount[group] += l_discount[row];
      counts[group]++;
    }
    const rows = [];
    for (let group = 0; group < groups; group++) {
      const count = counts[group];
      if (count === 0) continue;
      rows.push({
        l_returnflag: flags[Math.floor(group / states.length)],
        l_linestatus: states[group % states.length],
        sum_qty: qty[group],
        sum_base_price: base[group],
        sum_disc_price: disc[group],
        sum_charge: charge[group],
        avg_qty: qty[group] / count,
        avg_price: base[group] / count,
        avg_disc: discount[group] / count,
        count_order: count,
      });
    }
    return rows;
  },

  q3() {
    const { c_custkey, c_mktsegment } = columnsOf(tables.customer);
    const { o_custkey, o_orderdate, o_orderkey, o_shippriority } = columnsOf(tables.orders);
    const { l_discount, l_extendedprice, l_orderkey, l_shipdate } = columnsOf(tables.lineitem);
    const building = textsOf(tables.customer, 'c_mktsegment').indexOf('BUILDING');
    const until = day('1995-03-15');
    const customers = chained(c_custkey, c_custkey.length, row => c_mktsegment[row] === building);
    const has = key => {
      let entry = customers.heads[hash(key) & customers.mask];
      while (entry !== 0 && c_custkey[entry - 1] !== key) entry = customers.next[entry - 1];
      return entry !== 0;
    };
    const orders = chained(o_orderkey, o_orderkey.length, row => o_orderdate[row] < until && has(o_custkey[row]));
    // An order is a group: its revenue is kept beside it.
    const revenue = new Float64Array(o_orderkey.length);
    const met = new Uint8Array(o_orderkey.length);
    for (let row = 0; row < l_orderkey.length; row++) {
      if (l_shipdate[row] <= until) continue;
      const key = l_orderkey[row];
      let entry = orders.heads[hash(key) & orders.mask];
      while (entry !== 0 && o_orderkey[entry - 1] !== key) entry = orders.next[entry - 1];
      if (entry === 0) continue;
      revenue[entry - 1] += l_extendedprice[row] * (1 - l_discount[row]);
      met[entry - 1] = 1;
    }
    const groups = [];
    for (let row = 0; row < met.length; row++) if (met[row] === 1) groups.push(row);
    groups.sort((a, b) => revenue[b] - revenue[a] || o_orderdate[a] - o_orderdate[b]);
    return groups.slice(0, 10).map(row => ({
      l_orderkey: o_orderkey[row],
      o_orderdate: new Date(o_orderdate[row] * 86_400_000).toISOString().slice(0, 10),
      o_shippriority: o_shippriority[row],
      revenue: revenue[row],
    }));
  },

  q6() {
    const { l_discount, l_extendedprice, l_quantity, l_shipdate } = columnsOf(tables.lineitem);
    const [from, until] = [day('1994-01-01'), day('1995-01-01')];
    let revenue = 0;
    for (let row = 0; row < l_shipdate.length; row++) {
      const shipped = l_shipdate[row];
      if (shipped < from || shipped >= until) continue;
      const discount = l_discount[row];
      if (discount < 0.05 || discount > 0.07 || l_quantity[row] >= 24) continue;
      revenue += l_extendedprice[row] * discount;
    }
    return [{ revenue }];
  },

  q9() {
    const { ps_partkey, ps_suppkey, ps_supplycost } = columnsOf(tables.partsupp);
    const { p_name, p_partkey } = columnsOf(tables.part);
    const { s_nationkey, s_suppkey } = columnsOf(tables.supplier);
    const { n_name } = columnsOf(tables.nation);
    const { o_orderdate, o_orderkey } = columnsOf(tables.orders);
    const { l_discount, l_extendedprice, l_orderkey, l_partkey, l_quantity, l_suppkey } = columnsOf(tables.lineitem);
    const names = textsOf(tables.nation, 'n_name');
    const parts = chained(p_partkey, p_partkey.length, row => p_name[row].includes('green'));
    const suppliers = chained(s_suppkey, s_suppkey.length, () => true);
    const offers = chained(ps_partkey, ps_partkey.length, () => true);
    const orders = chained(o_orderkey, o_orderkey.length, () => true);
    const first = 1992;
    const YEARS = 7;
    const profit = new Float64Array(names.length * YEARS);
    const met = new Uint8Array(names.length * YEARS);
    const find = ({ heads, next, mask }, keys, key) => {
      let entry = heads[hash(key) & mask];
      while (entry !== 0 && keys[entry - 1] !== key) entry = next[entry - 1];
      return entry - 1;
    };
    for (let row = 0; row < l_partkey.length; row++) {
      const part = l_partkey[row];
      if (find(parts, p_partkey, part) < 0) continue;
      const supplier = l_suppkey[row];
      const nation = s_nationkey[find(suppliers, s_suppkey, supplier)];
      let entry = offers.heads[hash(part) & offers.mask];
      while (entry !== 0 && (ps_partkey[entry - 1] !== part || ps_suppkey[entry - 1] !== supplier))
        entry = offers.next[entry - 1];
      const order = find(orders, o_orderkey, l_orderkey[row]);
      const year = new Date(o_orderdate[order] * 86_400_000).getUTCFullYear();
      const group = n_name[nation] * YEARS + (year - first);
      profit[group] += l_extendedprice[row] * (1 - l_discount[row]) - ps_supplycost[entry - 1] * l_quantity[row];
      met[group] = 1;
    }
    const rows = [];
    for (let group = 0; group < met.length; group++) {
      if (met[group] === 1)
        rows.push({
          nation: names[Math.floor(group / YEARS)],
          o_year: first + (group % YEARS),
          sum_profit: profit[group],
        });
    }
    return rows.sort((a, b) => (a.nation < b.nation ? -1 : a.nation > b.nation ? 1 : b.o_year - a.o_year));
  },
});
