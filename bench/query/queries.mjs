/**
 * The 22 queries of TPC-H, with the parameters of the specification's validation runs, as relations of `venturi/relational`, which is handed in.
 * Subqueries that refer to a row outside are written as joins with groups, the smaller side of each join on the right.
 */
export function queriesOf(
  tables,
  scale,
  { avg, col, count, countDistinct, date, lit, max, min, scalar, scan, sum, when },
) {
  const { region, nation, supplier, part, partsupp, customer, orders, lineitem } = tables;
  const within = (column, from, until) =>
    col(column)
      .ge(date(from))
      .and(col(column).lt(date(until)));
  const revenue = col('l_extendedprice').times(lit(1).minus(col('l_discount')));
  const nationsOf = name =>
    scan(nation).join(scan(region).filter(col('r_name').eq(name)), [['n_regionkey', 'r_regionkey']], { how: 'semi' });
  const nationNamed = (name, prefix = '') => scan(nation, { prefix }).filter(col(`${prefix}n_name`).eq(name));

  return {
    q1: () =>
      scan(lineitem)
        .filter(col('l_shipdate').le(date('1998-09-02')))
        .groupBy(['l_returnflag', 'l_linestatus'], {
          sum_qty: sum(col('l_quantity')),
          sum_base_price: sum(col('l_extendedprice')),
          sum_disc_price: sum(revenue),
          sum_charge: sum(revenue.times(lit(1).plus(col('l_tax')))),
          avg_qty: avg(col('l_quantity')),
          avg_price: avg(col('l_extendedprice')),
          avg_disc: avg(col('l_discount')),
          count_order: count(),
        })
        .orderBy(['l_returnflag', 'l_linestatus']),

    q2: () => {
      const suppliers = scan(supplier).join(nationsOf('EUROPE'), [['s_nationkey', 'n_nationkey']]);
      const offers = scan(partsupp).join(suppliers, [['ps_suppkey', 's_suppkey']]);
      const parts = scan(part).filter(col('p_size').eq(15).and(col('p_type').like('%BRASS')));
      const least = offers
        .join(parts, [['ps_partkey', 'p_partkey']], { how: 'semi' })
        .groupBy(['ps_partkey'], { cost: min(col('ps_supplycost')) })
        .project({ least_partkey: 'ps_partkey', least_cost: 'cost' });
      return offers
        .join(parts, [['ps_partkey', 'p_partkey']])
        .join(least, [
          ['ps_partkey', 'least_partkey'],
          ['ps_supplycost', 'least_cost'],
        ])
        .project({
          s_acctbal: 's_acctbal',
          s_name: 's_name',
          n_name: 'n_name',
          p_partkey: 'p_partkey',
          p_mfgr: 'p_mfgr',
          s_address: 's_address',
          s_phone: 's_phone',
          s_comment: 's_comment',
        })
        .orderBy([['s_acctbal', 'desc'], 'n_name', 's_name', 'p_partkey'])
        .limit(100);
    },

    q3: () =>
      scan(lineitem)
        .filter(col('l_shipdate').gt(date('1995-03-15')))
        .join(
          scan(orders)
            .filter(col('o_orderdate').lt(date('1995-03-15')))
            .join(scan(customer).filter(col('c_mktsegment').eq('BUILDING')), [['o_custkey', 'c_custkey']], {
              how: 'semi',
            }),
          [['l_orderkey', 'o_orderkey']],
        )
        .groupBy(['l_orderkey', 'o_orderdate', 'o_shippriority'], { revenue: sum(revenue) })
        .orderBy([['revenue', 'desc'], 'o_orderdate'])
        .limit(10),

    q4: () =>
      scan(orders)
        .filter(within('o_orderdate', '1993-07-01', '1993-10-01'))
        .join(scan(lineitem).filter(col('l_commitdate').lt(col('l_receiptdate'))), [['o_orderkey', 'l_orderkey']], {
          how: 'semi',
        })
        .groupBy(['o_orderpriority'], { order_count: count() })
        .orderBy(['o_orderpriority']),

    q5: () =>
      scan(lineitem)
        .join(
          scan(orders)
            .filter(within('o_orderdate', '1994-01-01', '1995-01-01'))
            .join(scan(customer), [['o_custkey', 'c_custkey']]),
          [['l_orderkey', 'o_orderkey']],
        )
        .join(scan(supplier).join(nationsOf('ASIA'), [['s_nationkey', 'n_nationkey']]), [
          ['l_suppkey', 's_suppkey'],
          ['c_nationkey', 's_nationkey'],
        ])
        .groupBy(['n_name'], { revenue: sum(revenue) })
        .orderBy([['revenue', 'desc']]),

    q6: () =>
      scan(lineitem)
        .filter(
          within('l_shipdate', '1994-01-01', '1995-01-01')
            .and(col('l_discount').between(0.05, 0.07))
            .and(col('l_quantity').lt(24)),
        )
        .groupBy([], { revenue: sum(col('l_extendedprice').times(col('l_discount'))) }),

    q7: () => {
      const either = prefix => scan(nation, { prefix }).filter(col(`${prefix}n_name`).in(['FRANCE', 'GERMANY']));
      return scan(lineitem)
        .filter(col('l_shipdate').between(date('1995-01-01'), date('1996-12-31')))
        .join(scan(supplier).join(either('s_'), [['s_nationkey', 's_n_nationkey']]), [['l_suppkey', 's_suppkey']])
        .join(
          scan(orders).join(scan(customer).join(either('c_'), [['c_nationkey', 'c_n_nationkey']]), [
            ['o_custkey', 'c_custkey'],
          ]),
          [['l_orderkey', 'o_orderkey']],
          { condition: col('s_n_name').ne(col('c_n_name')) },
        )
        .project({
          supp_nation: 's_n_name',
          cust_nation: 'c_n_name',
          l_year: col('l_shipdate').year(),
          volume: revenue,
        })
        .groupBy(['supp_nation', 'cust_nation', 'l_year'], { revenue: sum(col('volume')) })
        .orderBy(['supp_nation', 'cust_nation', 'l_year']);
    },

    q8: () =>
      scan(lineitem)
        .join(scan(part).filter(col('p_type').eq('ECONOMY ANODIZED STEEL')), [['l_partkey', 'p_partkey']], {
          how: 'semi',
        })
        .join(
          scan(orders)
            .filter(col('o_orderdate').between(date('1995-01-01'), date('1996-12-31')))
            .join(
              scan(customer).join(nationsOf('AMERICA'), [['c_nationkey', 'n_nationkey']], { how: 'semi' }),
              [['o_custkey', 'c_custkey']],
              { how: 'semi' },
            ),
          [['l_orderkey', 'o_orderkey']],
        )
        .join(scan(supplier).join(scan(nation), [['s_nationkey', 'n_nationkey']]), [['l_suppkey', 's_suppkey']])
        .project({ o_year: col('o_orderdate').year(), volume: revenue, nation: 'n_name' })
        .groupBy(['o_year'], {
          brazil: sum(when(col('nation').eq('BRAZIL'), col('volume'), 0)),
          all: sum(col('volume')),
        })
        .project({ o_year: 'o_year', mkt_share: col('brazil').over(col('all')) })
        .orderBy(['o_year']),

    q9: () =>
      scan(lineitem)
        .join(scan(part).filter(col('p_name').like('%green%')), [['l_partkey', 'p_partkey']], { how: 'semi' })
        .join(scan(supplier).join(scan(nation), [['s_nationkey', 'n_nationkey']]), [['l_suppkey', 's_suppkey']])
        .join(scan(partsupp), [
          ['l_suppkey', 'ps_suppkey'],
          ['l_partkey', 'ps_partkey'],
        ])
        .join(scan(orders), [['l_orderkey', 'o_orderkey']])
        .project({
          nation: 'n_name',
          o_year: col('o_orderdate').year(),
          amount: revenue.minus(col('ps_supplycost').times(col('l_quantity'))),
        })
        .groupBy(['nation', 'o_year'], { sum_profit: sum(col('amount')) })
        .orderBy(['nation', ['o_year', 'desc']]),

    q10: () =>
      scan(lineitem)
        .filter(col('l_returnflag').eq('R'))
        .join(
          scan(orders)
            .filter(within('o_orderdate', '1993-10-01', '1994-01-01'))
            .join(scan(customer).join(scan(nation), [['c_nationkey', 'n_nationkey']]), [['o_custkey', 'c_custkey']]),
          [['l_orderkey', 'o_orderkey']],
        )
        .project({
          c_custkey: 'o_custkey',
          c_name: 'c_name',
          revenue,
          c_acctbal: 'c_acctbal',
          n_name: 'n_name',
          c_address: 'c_address',
          c_phone: 'c_phone',
          c_comment: 'c_comment',
        })
        .groupBy(['c_custkey', 'c_name', 'c_acctbal', 'c_phone', 'n_name', 'c_address', 'c_comment'], {
          revenue: sum(col('revenue')),
        })
        .orderBy([['revenue', 'desc'], 'c_custkey'])
        .limit(20),

    q11: () => {
      const german = scan(partsupp)
        .join(
          scan(supplier).join(nationNamed('GERMANY'), [['s_nationkey', 'n_nationkey']], { how: 'semi' }),
          [['ps_suppkey', 's_suppkey']],
          { how: 'semi' },
        )
        .project({ ps_partkey: 'ps_partkey', value: col('ps_supplycost').times(col('ps_availqty')) });
      const total = scalar(german.groupBy([], { total: sum(col('value')) }));
      return german
        .groupBy(['ps_partkey'], { value: sum(col('value')) })
        .filter(col('value').gt(total.times(0.0001 / scale)))
        .orderBy([['value', 'desc'], 'ps_partkey']);
    },

    q12: () => {
      const urgent = col('o_orderpriority').in(['1-URGENT', '2-HIGH']);
      return scan(orders)
        .join(
          scan(lineitem).filter(
            col('l_shipmode')
              .in(['MAIL', 'SHIP'])
              .and(col('l_commitdate').lt(col('l_receiptdate')))
              .and(col('l_shipdate').lt(col('l_commitdate')))
              .and(within('l_receiptdate', '1994-01-01', '1995-01-01')),
          ),
          [['o_orderkey', 'l_orderkey']],
        )
        .groupBy(['l_shipmode'], { high_line_count: sum(when(urgent, 1, 0)), low_line_count: sum(when(urgent, 0, 1)) })
        .orderBy(['l_shipmode']);
    },

    q13: () =>
      scan(customer)
        .join(scan(orders).filter(col('o_comment').like('%special%requests%').not()), [['c_custkey', 'o_custkey']], {
          how: 'left',
        })
        .groupBy(['c_custkey'], { c_count: count(col('o_orderkey')) })
        .groupBy(['c_count'], { custdist: count() })
        .orderBy([
          ['custdist', 'desc'],
          ['c_count', 'desc'],
        ]),

    q14: () =>
      scan(lineitem)
        .filter(within('l_shipdate', '1995-09-01', '1995-10-01'))
        .join(scan(part), [['l_partkey', 'p_partkey']])
        .groupBy([], { promo: sum(when(col('p_type').like('PROMO%'), revenue, 0)), all: sum(revenue) })
        .project({ promo_revenue: lit(100).times(col('promo')).over(col('all')) }),

    q15: () => {
      const bySupplier = scan(lineitem)
        .filter(within('l_shipdate', '1996-01-01', '1996-04-01'))
        .groupBy(['l_suppkey'], { total_revenue: sum(revenue) });
      const most = scalar(bySupplier.groupBy([], { most: max(col('total_revenue')) }));
      return scan(supplier)
        .join(bySupplier.filter(col('total_revenue').eq(most)), [['s_suppkey', 'l_suppkey']])
        .project({
          s_suppkey: 's_suppkey',
          s_name: 's_name',
          s_address: 's_address',
          s_phone: 's_phone',
          total_revenue: 'total_revenue',
        })
        .orderBy(['s_suppkey']);
    },

    q16: () =>
      scan(partsupp)
        .join(
          scan(part).filter(
            col('p_brand')
              .ne('Brand#45')
              .and(col('p_type').like('MEDIUM POLISHED%').not())
              .and(col('p_size').in([49, 14, 23, 45, 19, 3, 36, 9])),
          ),
          [['ps_partkey', 'p_partkey']],
        )
        .join(scan(supplier).filter(col('s_comment').like('%Customer%Complaints%')), [['ps_suppkey', 's_suppkey']], {
          how: 'anti',
        })
        .groupBy(['p_brand', 'p_type', 'p_size'], { supplier_cnt: countDistinct(col('ps_suppkey')) })
        .orderBy([['supplier_cnt', 'desc'], 'p_brand', 'p_type', 'p_size']),

    q17: () => {
      const parts = scan(part).filter(col('p_brand').eq('Brand#23').and(col('p_container').eq('MED BOX')));
      const own = scan(lineitem).join(parts, [['l_partkey', 'p_partkey']], { how: 'semi' });
      const means = own
        .groupBy(['l_partkey'], { mean: avg(col('l_quantity')) })
        .project({ mean_partkey: 'l_partkey', fifth: lit(0.2).times(col('mean')) });
      return own
        .join(means, [['l_partkey', 'mean_partkey']], { condition: col('l_quantity').lt(col('fifth')) })
        .groupBy([], { total: sum(col('l_extendedprice')) })
        .project({ avg_yearly: col('total').over(7) });
    },

    q18: () => {
      const large = scan(lineitem)
        .groupBy(['l_orderkey'], { quantity: sum(col('l_quantity')) })
        .filter(col('quantity').gt(300))
        .project({ large_orderkey: 'l_orderkey' });
      return scan(lineitem)
        .join(
          scan(orders)
            .join(large, [['o_orderkey', 'large_orderkey']], { how: 'semi' })
            .join(scan(customer), [['o_custkey', 'c_custkey']]),
          [['l_orderkey', 'o_orderkey']],
        )
        .groupBy(['c_name', 'o_custkey', 'l_orderkey', 'o_orderdate', 'o_totalprice'], {
          quantity: sum(col('l_quantity')),
        })
        .orderBy([['o_totalprice', 'desc'], 'o_orderdate'])
        .limit(100);
    },

    q19: () => {
      const kind = (brand, containers, least, size) =>
        col('p_brand')
          .eq(brand)
          .and(col('p_container').in(containers))
          .and(col('l_quantity').between(least, least + 10))
          .and(col('p_size').between(1, size));
      return scan(lineitem)
        .filter(col('l_shipmode').in(['AIR', 'AIR REG']).and(col('l_shipinstruct').eq('DELIVER IN PERSON')))
        .join(scan(part), [['l_partkey', 'p_partkey']], {
          condition: kind('Brand#12', ['SM CASE', 'SM BOX', 'SM PACK', 'SM PKG'], 1, 5)
            .or(kind('Brand#23', ['MED BAG', 'MED BOX', 'MED PKG', 'MED PACK'], 10, 10))
            .or(kind('Brand#34', ['LG CASE', 'LG BOX', 'LG PACK', 'LG PKG'], 20, 15)),
        })
        .groupBy([], { revenue: sum(revenue) });
    },

    q20: () => {
      const shipped = scan(lineitem)
        .filter(within('l_shipdate', '1994-01-01', '1995-01-01'))
        .groupBy(['l_partkey', 'l_suppkey'], { quantity: sum(col('l_quantity')) })
        .project({ l_partkey: 'l_partkey', l_suppkey: 'l_suppkey', half: lit(0.5).times(col('quantity')) });
      const offers = scan(partsupp)
        .join(scan(part).filter(col('p_name').like('forest%')), [['ps_partkey', 'p_partkey']], { how: 'semi' })
        .join(
          shipped,
          [
            ['ps_partkey', 'l_partkey'],
            ['ps_suppkey', 'l_suppkey'],
          ],
          { how: 'semi', condition: col('ps_availqty').gt(col('half')) },
        );
      return scan(supplier)
        .join(nationNamed('CANADA'), [['s_nationkey', 'n_nationkey']], { how: 'semi' })
        .join(offers, [['s_suppkey', 'ps_suppkey']], { how: 'semi' })
        .project({ s_name: 's_name', s_address: 's_address' })
        .orderBy(['s_name']);
    },

    q21: () => {
      const late = prefix =>
        scan(lineitem, { prefix }).filter(col(`${prefix}l_receiptdate`).gt(col(`${prefix}l_commitdate`)));
      const other = prefix => ({ condition: col(`${prefix}l_suppkey`).ne(col('l_suppkey')) });
      return late('')
        .join(scan(supplier).join(nationNamed('SAUDI ARABIA'), [['s_nationkey', 'n_nationkey']], { how: 'semi' }), [
          ['l_suppkey', 's_suppkey'],
        ])
        .join(scan(orders).filter(col('o_orderstatus').eq('F')), [['l_orderkey', 'o_orderkey']], { how: 'semi' })
        .join(scan(lineitem, { prefix: 'a_' }), [['l_orderkey', 'a_l_orderkey']], { how: 'semi', ...other('a_') })
        .join(late('b_'), [['l_orderkey', 'b_l_orderkey']], { how: 'anti', ...other('b_') })
        .groupBy(['s_name'], { numwait: count() })
        .orderBy([['numwait', 'desc'], 's_name'])
        .limit(100);
    },

    q22: () => {
      const code = col('c_phone').substring(1, 2);
      const own = scan(customer).filter(code.in(['13', '31', '23', '29', '30', '18', '17']));
      const mean = scalar(own.filter(col('c_acctbal').gt(0)).groupBy([], { mean: avg(col('c_acctbal')) }));
      return own
        .filter(col('c_acctbal').gt(mean))
        .join(scan(orders), [['c_custkey', 'o_custkey']], { how: 'anti' })
        .project({ cntrycode: code, c_acctbal: 'c_acctbal' })
        .groupBy(['cntrycode'], { numcust: count(), totacctbal: sum(col('c_acctbal')) })
        .orderBy(['cntrycode']);
    },
  };
}
