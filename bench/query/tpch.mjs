/**
 * TPC-H tables at a small scale, the same for the same scale: the distributions of dbgen (TPC-H specification 3.0.1, §4.2) for the columns that
 * the 22 queries use, with random numbers of our own. Columns are arrays by name; `types` says what they hold.
 */
import { randomOf } from '../virtual/random.mjs';

const DAY = 86_400_000;
export const day = text => Date.parse(`${text}T00:00:00Z`) / DAY;
const START = day('1992-01-01');
const END = day('1998-12-31');
const CURRENT = day('1995-06-17');

const NATIONS = [
  ['ALGERIA', 0],
  ['ARGENTINA', 1],
  ['BRAZIL', 1],
  ['CANADA', 1],
  ['EGYPT', 4],
  ['ETHIOPIA', 0],
  ['FRANCE', 3],
  ['GERMANY', 3],
  ['INDIA', 2],
  ['INDONESIA', 2],
  ['IRAN', 4],
  ['IRAQ', 4],
  ['JAPAN', 2],
  ['JORDAN', 4],
  ['KENYA', 0],
  ['MOROCCO', 0],
  ['MOZAMBIQUE', 0],
  ['PERU', 1],
  ['CHINA', 2],
  ['ROMANIA', 3],
  ['SAUDI ARABIA', 4],
  ['VIETNAM', 2],
  ['RUSSIA', 3],
  ['UNITED KINGDOM', 3],
  ['UNITED STATES', 1],
];
const REGIONS = ['AFRICA', 'AMERICA', 'ASIA', 'EUROPE', 'MIDDLE EAST'];
const SEGMENTS = ['AUTOMOBILE', 'BUILDING', 'FURNITURE', 'MACHINERY', 'HOUSEHOLD'];
const PRIORITIES = ['1-URGENT', '2-HIGH', '3-MEDIUM', '4-NOT SPECIFIED', '5-LOW'];
const INSTRUCTIONS = ['DELIVER IN PERSON', 'COLLECT COD', 'NONE', 'TAKE BACK RETURN'];
const MODES = ['REG AIR', 'AIR', 'RAIL', 'SHIP', 'TRUCK', 'MAIL', 'FOB'];
const TYPES = [
  ['STANDARD', 'SMALL', 'MEDIUM', 'LARGE', 'ECONOMY', 'PROMO'],
  ['ANODIZED', 'BURNISHED', 'PLATED', 'POLISHED', 'BRUSHED'],
  ['TIN', 'NICKEL', 'BRASS', 'STEEL', 'COPPER'],
];
const CONTAINERS = [
  ['SM', 'LG', 'MED', 'JUMBO', 'WRAP'],
  ['CASE', 'BOX', 'BAG', 'JAR', 'PKG', 'PACK', 'CAN', 'DRUM'],
];
const COLOURS =
  'almond antique aquamarine azure beige bisque black blanched blue blush brown burlywood burnished chartreuse chiffon chocolate coral cornflower cornsilk cream cyan dark deep dim dodger drab firebrick floral forest frosted gainsboro ghost goldenrod green grey honeydew hot indian ivory khaki lace lavender lawn lemon light lime linen magenta maroon medium metallic midnight mint misty moccasin navajo navy olive orange orchid pale papaya peach peru pink plum powder puff purple red rose rosy royal saddle salmon sandy seashell sienna sky slate smoke snow spring steel tan thistle tomato turquoise violet wheat white yellow'.split(
    ' ',
  );
const WORDS =
  'furiously sly carefully blithely quickly fluffily slow quiet ruthless thin close dogged daring brave stealthy permanent enticing idle busy regular final ironic even bold silent special pending unusual express packages requests accounts deposits foxes ideas theodolites instructions dependencies excuses platelets asymptotes courts dolphins multipliers sleep wake are cajole haggle nag use boost affix detect integrate among about above across after against along'.split(
    ' ',
  );

/** How many rows there are of each at scale factor 1. */
const SCALE = { supplier: 10_000, part: 200_000, customer: 150_000, orders: 1_500_000 };

/** With fewer, the rule below gives a part the same supplier twice. */
const LEAST_SUPPLIERS = 100;

/** The supplier of a part that is its `at`-th, from 0 to 3 (§4.2.3). */
const supplierOf = (part, at, suppliers) =>
  ((part + at * (Math.floor(suppliers / 4) + Math.floor((part - 1) / suppliers))) % suppliers) + 1;

const priceOf = part => (90_000 + (Math.floor(part / 10) % 20_001) + 100 * (part % 1000)) / 100;

/** A table by rows that `make` gives, as one array for each column. */
function columns(names, rows, make) {
  const table = Object.fromEntries(names.map(name => [name, []]));
  for (let row = 0; row < rows; row++) for (const [name, value] of Object.entries(make(row))) table[name].push(value);
  return table;
}

export function tpch(scale, seed = 1) {
  const random = randomOf(seed);
  const int = (low, high) => low + Math.floor(random.uniform() * (high - low + 1));
  const of = list => list[int(0, list.length - 1)];
  const text = (least, most) => Array.from({ length: int(least, most) }, () => of(WORDS)).join(' ');
  const cents = (low, high) => int(low * 100, high * 100) / 100;
  const phone = nation => `${nation + 10}-${int(100, 999)}-${int(100, 999)}-${int(1000, 9999)}`;
  const address = () =>
    Array.from({ length: int(10, 30) }, () => 'abcdefghijklmnopqrstuvwxyz0123456789 '[int(0, 36)])
      .join('')
      .trim();
  const count = name => Math.max(name === 'supplier' ? LEAST_SUPPLIERS : 1, Math.round(SCALE[name] * scale));
  const suppliers = count('supplier');
  const parts = count('part');
  const customers = count('customer');

  const region = columns(['r_regionkey', 'r_name'], REGIONS.length, row => ({
    r_regionkey: row,
    r_name: REGIONS[row],
  }));
  const nation = columns(['n_nationkey', 'n_name', 'n_regionkey'], NATIONS.length, row => ({
    n_nationkey: row,
    n_name: NATIONS[row][0],
    n_regionkey: NATIONS[row][1],
  }));
  const supplier = columns(
    ['s_suppkey', 's_name', 's_address', 's_nationkey', 's_phone', 's_acctbal', 's_comment'],
    suppliers,
    row => {
      const s_nationkey = int(0, 24);
      // Five of ten thousand have a complaint; of fewer, at least one.
      const complains = row === 3 || int(1, 2000) === 1;
      return {
        s_suppkey: row + 1,
        s_name: `Supplier#${String(row + 1).padStart(9, '0')}`,
        s_address: address(),
        s_nationkey,
        s_phone: phone(s_nationkey),
        s_acctbal: cents(-999.99, 9999.99),
        s_comment: complains ? `${text(1, 4)} Customer ${text(1, 3)} Complaints ${text(0, 2)}`.trim() : text(4, 12),
      };
    },
  );
  const part = columns(
    ['p_partkey', 'p_name', 'p_mfgr', 'p_brand', 'p_type', 'p_size', 'p_container', 'p_retailprice'],
    parts,
    row => {
      const maker = int(1, 5);
      const name = new Set();
      while (name.size < 5) name.add(of(COLOURS));
      return {
        p_partkey: row + 1,
        p_name: [...name].join(' '),
        p_mfgr: `Manufacturer#${maker}`,
        p_brand: `Brand#${maker}${int(1, 5)}`,
        p_type: TYPES.map(of).join(' '),
        p_size: int(1, 50),
        p_container: CONTAINERS.map(of).join(' '),
        p_retailprice: priceOf(row + 1),
      };
    },
  );
  const partsupp = columns(['ps_partkey', 'ps_suppkey', 'ps_availqty', 'ps_supplycost'], 4 * parts, row => ({
    ps_partkey: Math.floor(row / 4) + 1,
    ps_suppkey: supplierOf(Math.floor(row / 4) + 1, row % 4, suppliers),
    ps_availqty: int(1, 9999),
    ps_supplycost: cents(1, 1000),
  }));
  const customer = columns(
    ['c_custkey', 'c_name', 'c_address', 'c_nationkey', 'c_phone', 'c_acctbal', 'c_mktsegment', 'c_comment'],
    customers,
    row => {
      const c_nationkey = int(0, 24);
      return {
        c_custkey: row + 1,
        c_name: `Customer#${String(row + 1).padStart(9, '0')}`,
        c_address: address(),
        c_nationkey,
        c_phone: phone(c_nationkey),
        c_acctbal: cents(-999.99, 9999.99),
        c_mktsegment: of(SEGMENTS),
        c_comment: text(3, 10),
      };
    },
  );
  const clerks = Math.max(1, Math.round(scale * 1000));
  const lineitem = columns(LINEITEM, 0, () => ({}));
  const orders = columns(ORDERS, count('orders'), row => {
    // Of 32 keys, 8 are used; a third of the customers orders nothing.
    const o_orderkey = Math.floor(row / 8) * 32 + (row % 8) + 1;
    let o_custkey = int(1, customers);
    while (customers > 3 && o_custkey % 3 === 0) o_custkey = int(1, customers);
    const o_orderdate = int(START, END - 151);
    const lines = int(1, 7);
    let open = 0;
    let total = 0;
    for (let line = 1; line <= lines; line++) {
      const l_partkey = int(1, parts);
      const l_quantity = int(1, 50);
      const l_extendedprice = Math.round(l_quantity * priceOf(l_partkey) * 100) / 100;
      const [l_discount, l_tax] = [int(0, 10) / 100, int(0, 8) / 100];
      const l_shipdate = o_orderdate + int(1, 121);
      const l_receiptdate = l_shipdate + int(1, 30);
      const isOpen = l_shipdate > CURRENT;
      if (isOpen) open++;
      total += l_extendedprice * (1 + l_tax) * (1 - l_discount);
      const values = {
        l_orderkey: o_orderkey,
        l_partkey,
        l_suppkey: supplierOf(l_partkey, int(0, 3), suppliers),
        l_linenumber: line,
        l_quantity,
        l_extendedprice,
        l_discount,
        l_tax,
        l_returnflag: l_receiptdate <= CURRENT ? of(['R', 'A']) : 'N',
        l_linestatus: isOpen ? 'O' : 'F',
        l_shipdate,
        l_commitdate: o_orderdate + int(30, 90),
        l_receiptdate,
        l_shipinstruct: of(INSTRUCTIONS),
        l_shipmode: of(MODES),
      };
      for (const name of LINEITEM) lineitem[name].push(values[name]);
    }
    return {
      o_orderkey,
      o_custkey,
      o_orderstatus: open === 0 ? 'F' : open === lines ? 'O' : 'P',
      o_totalprice: Math.round(total * 100) / 100,
      o_orderdate,
      o_orderpriority: of(PRIORITIES),
      o_clerk: `Clerk#${String(int(1, clerks)).padStart(9, '0')}`,
      o_shippriority: 0,
      o_comment: text(4, 12),
    };
  });
  return { region, nation, supplier, part, partsupp, customer, orders, lineitem };
}

const ORDERS = [
  'o_orderkey',
  'o_custkey',
  'o_orderstatus',
  'o_totalprice',
  'o_orderdate',
  'o_orderpriority',
  'o_clerk',
  'o_shippriority',
  'o_comment',
];
const LINEITEM = [
  'l_orderkey',
  'l_partkey',
  'l_suppkey',
  'l_linenumber',
  'l_quantity',
  'l_extendedprice',
  'l_discount',
  'l_tax',
  'l_returnflag',
  'l_linestatus',
  'l_shipdate',
  'l_commitdate',
  'l_receiptdate',
  'l_shipinstruct',
  'l_shipmode',
];

export const isDate = name => /date$/.test(name);

/** Texts that come again and again are listed in a dictionary; names, addresses and comments are not. */
const LISTED =
  /^(r_name|n_name|p_(mfgr|brand|type|container)|c_mktsegment|o_(orderstatus|orderpriority|clerk)|l_(returnflag|linestatus|shipinstruct|shipmode))$/;
const FRACTIONS = /(price|acctbal|supplycost|discount|tax|quantity)$/;

/** The same as tables of `venturi/relational`, which is handed in. */
export function relationalTables(data, { table, dictionaryOf }) {
  return Object.fromEntries(
    Object.entries(data).map(([name, own]) => [
      name,
      table(
        name,
        Object.fromEntries(
          Object.entries(own).map(([column, values]) => {
            if (typeof values[0] === 'string') return [column, LISTED.test(column) ? dictionaryOf(values) : values];
            if (isDate(column)) return [column, { type: 'date', data: Int32Array.from(values) }];
            return [column, FRACTIONS.test(column) ? Float64Array.from(values) : Int32Array.from(values)];
          }),
        ),
      ),
    ]),
  );
}
