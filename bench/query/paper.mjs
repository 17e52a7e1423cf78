/**
 * The example queries of Tailored Profiling (EuroSys 2021) as relations of `venturi/relational`, which is handed in: figure 3 on tables of its own, figures 9 and 10 on those of TPC-H. Of figure 10 there are two
 * plans with the same intermediate results: half of `partsupp` is at random, half of `orders` the first by the key by which `lineitem` is sorted.
 */

/** Sales of products, of which a quarter are chips, in an order that nothing says. */
export function salesTables(sales, products, { table, dictionaryOf }) {
  let state = 42;
  const random = below => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const numbers = (length, of) => Float64Array.from({ length }, of);
  return {
    sales: table('sales', {
      id: Int32Array.from({ length: sales }, () => random(products)),
      price: numbers(sales, () => 100 + random(900)),
      vat_factor: numbers(sales, () => 1 + random(3) / 10),
      prod_costs: numbers(sales, () => 10 + random(90)),
    }),
    products: table('products', {
      p_id: Int32Array.from({ length: products }, (_, at) => at),
      category: dictionaryOf(Array.from({ length: products }, () => ['Chip', 'Board', 'Case', 'Fan'][random(4)])),
    }),
  };
}

export function paperQueries(tables, { avg, col, count, date, scan, sum }) {
  const { sales, products, lineitem, orders, partsupp } = tables;
  const keys = orders.columns.o_orderkey.data;
  const early = scan(orders).filter(col('o_orderkey').lt(keys[keys.length >> 1]), { name: 'early' });
  const scarce = scan(partsupp).filter(col('ps_availqty').lt(5000), { name: 'scarce' });
  const onOrders = [['l_orderkey', 'o_orderkey']];
  const onOffers = [
    ['l_partkey', 'ps_partkey'],
    ['l_suppkey', 'ps_suppkey'],
  ];
  const totals = {
    cost: sum(col('ps_supplycost').times(col('l_quantity'))),
    price: sum(col('o_totalprice')),
    rows: count(),
  };
  return {
    fig3: () =>
      scan(sales)
        .join(scan(products).filter(col('category').eq('Chip')), [['id', 'p_id']])
        .groupBy(['id'], { ratio: avg(col('price').over(col('vat_factor')).over(col('prod_costs'))) }),
    fig9: () =>
      scan(lineitem)
        .join(scan(orders).filter(col('o_orderdate').lt(date('1995-04-01'))), onOrders)
        .groupBy(['l_orderkey'], { price: avg(col('l_extendedprice')) }),
    /** The smaller table first, as an optimiser would have it. */
    fig10a: () =>
      scan(lineitem)
        .join(scarce, onOffers, { name: 'partsupp' })
        .join(early, onOrders, { name: 'orders' })
        .groupBy([], totals),
    fig10b: () =>
      scan(lineitem)
        .join(early, onOrders, { name: 'orders' })
        .join(scarce, onOffers, { name: 'partsupp' })
        .groupBy([], totals),
  };
}
