import { expect, test } from 'vitest';
import { counter, cpu, elementsOf, fold, inner, order, span } from './records.fixture.ts';

const MAIN = 10;
const WORKER = 20;

const main = {
  pid: MAIN,
  rows: [
    span('facts:{"loader":"train","location":"train.py:7","settings":{"num_workers":1,"batch_size":2}}', 0, 0, 0),
    ...order('train', 0, 5, WORKER, 0),
    ...order('train', 1, 6, WORKER, 1),
    span('arrive:train', 0, 130, 130),
    span('wait:train', 0, 10, 140),
    span('consume:train', 0, 140, 150),
    span('arrive:train', 1, 230, 230),
    span('wait:train', 1, 150, 240),
    span('consume:train', 1, 240, 250),
  ],
};

const worker = {
  pid: WORKER,
  opened: 8,
  rows: [
    span('facts:{"operator":"decode","kind":"decode","location":null}', 0, 0, 0),
    span('idle', 0, 8, 20),
    span('operator:Images.__getitem__', 0, 20, 70),
    inner('operator:open', 22, 27),
    inner('operator:decode', 30, 60),
    span('operator:Images.__getitem__', 0, 70, 110),
    inner('operator:decode', 75, 105),
    span('operator:collate', 0, 110, 118),
    span('prepare', 0, 20, 120),
    cpu(60, 30),
    elementsOf(2),
    span('element:a.jpg', 0, 20, 70),
    span('put', 0, 120, 125),
    span('idle', 1, 125, 130),
    span('prepare', 1, 130, 220),
    elementsOf(2),
    span('put', 1, 220, 224),
  ],
};

test.each([1000, 3, 1])('joins both sides of a batch by process and task, in blocks of %i rows', size => {
  const { batches, preparers, loaders, slowest, operatorFacts } = fold([main, worker], size).result();
  expect(batches).toHaveLength(2);
  expect(batches[0]).toMatchObject({
    loader: 'train',
    number: 0,
    pass: 0,
    dispatched: 5,
    prepareStart: 20,
    prepareEnd: 120,
    cpu: 60,
    runDelay: 30,
    elements: 2,
    put: 125,
    arrived: 130,
    waitStart: 10,
    waitEnd: 140,
    consumeEnd: 150,
  });
  expect(batches[1]).toMatchObject({ number: 1, prepareStart: 130, prepareEnd: 220, elements: 2 });
  expect(preparers).toMatchObject([{ loader: 'train', idle: 17 }]);
  expect(loaders.get('train')).toMatchObject({ location: 'train.py:7', settings: { num_workers: 1 } });
  expect(operatorFacts.get('decode')?.kind).toBe('decode');
  expect(slowest).toEqual([{ name: 'a.jpg', loader: 'train', duration: 50, start: 20 }]);
});

test.each([1000, 2])('divides an element among what lies inside it, in blocks of %i rows', size => {
  const operators = fold([main, worker], size).result().operators.get('train');
  const times = [...(operators ?? [])].map(([name, { spans, self }]) => [name, spans.count, spans.sum, self]);
  expect(times.sort()).toEqual([
    ['Images.__getitem__', 2, 90, 25],
    ['collate', 1, 8, 8],
    ['decode', 2, 60, 60],
    ['open', 1, 5, 5],
  ]);
});

test('what lies inside what lies inside is taken from the nearer one', () => {
  const nested = {
    pid: WORKER,
    rows: [span('operator:item', 0, 0, 100), inner('operator:crop', 20, 40), inner('operator:compose', 10, 60)],
  };
  const operators = fold([nested]).result().operators.get('unknown loader');
  const self = Object.fromEntries([...(operators ?? [])].map(([name, times]) => [name, times.self]));
  expect(self).toEqual({ crop: 20, compose: 30, item: 50 });
});

test('a process id that comes back belongs to the loader that had it at that time', () => {
  const consumer = {
    pid: MAIN,
    rows: [
      ...order('train', 0, 10, WORKER, 0, 0),
      span('wait:train', 0, 10, 60),
      ...order('test', 1, 1000, WORKER, 0, 1),
      span('wait:test', 1, 1000, 1060),
    ],
  };
  const first = { pid: WORKER, opened: 9, rows: [span('prepare', 0, 20, 50), elementsOf(3)] };
  const second = { pid: WORKER, opened: 999, rows: [span('prepare', 0, 1020, 1050), elementsOf(4)] };
  const { batches, preparers } = fold([consumer, first, second]).result();
  expect(batches.map(({ loader, elements, prepareStart }) => [loader, elements, prepareStart])).toEqual([
    ['train', 3, 20],
    ['test', 4, 1020],
  ]);
  expect(preparers.map(({ loader }) => loader)).toEqual(['train', 'test']);
});

test('loaders of several processes are the same by their keys, whatever each calls them', () => {
  const consumer = (pid: number, ...named: readonly (readonly [string, string])[]) => ({
    pid,
    rows: named.flatMap(([loader, key], number) => [
      span(`facts:${JSON.stringify({ loader, key, pid, settings: {} })}`, 0, 0, 0),
      ...order(loader, number, number, WORKER + pid, number, number),
      span(`wait:${loader}`, number, 0, 1),
      span(`pass:${loader}`, number, 0, 1),
    ]),
  });
  const ranks = [consumer(1, ['loader', 'a'], ['loader 2', 'b']), consumer(2, ['loader', 'b'])];
  const { batches, passes, loaders } = fold([...ranks, consumer(3, ['loader', 'c'])]).result();
  const expected = [
    [1, 'loader'],
    [1, 'loader 2'],
    [2, 'loader 2'],
    [3, 'loader 3'],
  ];
  expect(batches.map(({ consumer: pid, loader }) => [pid, loader])).toEqual(expected);
  expect(passes.map(({ consumer: pid, loader }) => [pid, loader])).toEqual(expected);
  expect([...loaders].map(([name, { key }]) => [name, key])).toEqual([
    ['loader', 'a'],
    ['loader 2', 'b'],
    ['loader 3', 'c'],
  ]);
});

test('without workers the consumer prepares what it ordered', () => {
  const alone = {
    pid: MAIN,
    rows: [
      ...order('train', 0, 10, MAIN, 1),
      span('operator:item', 1, 11, 30),
      span('prepare', 1, 10, 40),
      elementsOf(1),
      span('wait:train', 0, 10, 41),
      ...order('test', 1, 50, MAIN, 2),
      span('operator:item', 2, 51, 55),
      span('prepare', 2, 50, 60),
      elementsOf(1),
      span('wait:test', 1, 50, 61),
    ],
  };
  const { batches, operators } = fold([alone]).result();
  expect(batches.map(({ loader, prepareEnd }) => [loader, prepareEnd])).toEqual([
    ['train', 40],
    ['test', 60],
  ]);
  expect(operators.get('train')?.get('item')?.spans.sum).toBe(19);
  expect(operators.get('test')?.get('item')?.spans.sum).toBe(4);
});

test('where passes begin, before their workers are started, and where they end', () => {
  const rows = [
    span('begin:train', 0, 2, 8),
    ...main.rows,
    span('pass:train', 0, 2, 95),
    span('begin:train', 1, 96, 97),
  ];
  const { beginnings, passes } = fold([{ ...main, rows }, worker]).result();
  const of = { loader: 'train', consumer: MAIN };
  expect(beginnings).toEqual([
    { ...of, pass: 0, start: 2, end: 8 },
    { ...of, pass: 1, start: 96, end: 97 },
  ]);
  expect(passes).toEqual([{ ...of, pass: 0, start: 2, end: 95 }]);
});

test('the most memory of a worker, of shared space, and what was done ahead', () => {
  const facts = fold([
    { ...main, rows: [...main.rows, span('ahead:map(tokenize)', 0, 1, 4), counter('sharedSpaceUsed', 9, 70)] },
    {
      ...worker,
      rows: [
        ...worker.rows,
        counter('residentMemory', 30, 500),
        counter('residentMemory', 60, 900),
        counter('residentMemory', 90, 600),
        counter('sharedSpaceUsed', 90, 40),
        counter('sharedSpace', 90, 100),
      ],
    },
  ]).result();
  expect(facts.preparers.map(({ memory }) => memory)).toEqual([900]);
  expect(facts.sharedSpace).toEqual({ used: 70, present: 100 });
  expect(facts.ahead).toEqual([{ name: 'map(tokenize)', start: 1, end: 4 }]);
});
