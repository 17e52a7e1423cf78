import { describe, expect, it } from 'vitest';
import { col } from './expression.ts';
import { people } from './people.fixture.ts';
import { Query } from './query.ts';
import { count, scan, sum } from './relation.ts';

describe('the tagging dictionary', () => {
  const relation = scan(people)
    .filter(col('age').gt(1), { name: 'adults' })
    .join(scan(people, { prefix: 'r_' }), [['name', 'r_name']], { name: 'same name' })
    .groupBy(['name'], { rows: count() }, { name: 'by name' })
    .orderBy(['name'], { name: 'sorted' });

  it('knows the task of every line between the pipelines’ own, and its operator', () => {
    const { text, dictionary } = new Query(relation);
    const lines = text.split('\n');
    const own = /^(\/\/ |'use strict';|function enter\d+\(state\) \{$| *pipeline\d+\(state\);$|\}$|return \[)/;
    const engines = lines.filter((line, at) => dictionary.taskOf(at + 1) === undefined && !own.test(line));
    expect(engines).toEqual([]);
    const labels = lines.map((_, at) => dictionary.operators[dictionary.operatorOf(at + 1) ?? -1]?.label);
    const labelOf = (part: RegExp): string | undefined => labels[lines.findIndex(line => part.test(line))];
    expect(labelOf(/> 1;$/)).toBe('adults');
    expect(labelOf(/^ *while \(e\d+ !== 0\) \{$/)).toBe('same name');
    expect(labelOf(/\.sort\(/)).toBe('sorted');
    expect(labelOf(/\+\+;$/)).toBe('same name');
  });

  it('has for the line at which something is thrown the operator that threw it', () => {
    const rows = scan(people).filter(col('age').ge(0), { name: 'all' });
    const zero = col('age').minus(col('age'));
    const thrown: Readonly<Record<string, [Query, string]>> = {
      'a filter': [new Query(rows.filter(col('age').over(zero).gt(1), { name: 'divides' })), 'divides'],
      'a projection': [new Query(rows.project({ x: col('age').over(zero) }, { name: 'divides' })), 'divides'],
      'an aggregate': [new Query(rows.groupBy([], { x: sum(col('age').over(zero)) }, { name: 'sums' })), 'sums'],
      'a join that is built': [
        new Query(scan(people, { prefix: 'l_' }).join(rows, [['l_name', 'name']], { name: 'joins' }), { memory: 1 }),
        'joins',
      ],
      'a copy of a helper': [new Query(rows.orderBy(['name'], { name: 'sorts' }), { memory: 1 }), 'sorts'],
    };
    for (const [what, [query, name]] of Object.entries(thrown)) {
      let stack = '';
      try {
        query.run();
      } catch (error) {
        stack = String((error as Error).stack);
      }
      const lines = [...stack.matchAll(/venturi:query\.\d+:(\d+):/g)].map(([, line]) => Number(line));
      expect(lines[0], what).toBeGreaterThanOrEqual(query.firstLine);
      const operator = query.dictionary.operatorOf((lines[0] ?? 0) - query.firstLine + 1);
      expect(query.dictionary.operators[operator ?? -1]?.label, what).toBe(name);
    }
  });

  it('tells the tasks of an operator apart', () => {
    const { dictionary, pipelines } = new Query(relation);
    const join = dictionary.operators.findIndex(({ label }) => label === 'same name');
    const roles = dictionary.tasks
      .filter(({ operator }) => operator === join)
      .map(({ role, pipeline }) => ({ role, in: pipeline }));
    expect(roles.map(({ role }) => role)).toEqual(['build', 'probe']);
    expect(new Set(roles.map(({ in: pipeline }) => pipeline)).size).toBe(2);
    expect(pipelines).toHaveLength(4);
  });

  it('writes one statement a line', () => {
    const { text } = new Query(relation);
    const statements = text.split('\n').filter(line => !line.startsWith('//') && !/\bfor \(/.test(line));
    expect(statements.filter(line => (line.match(/;/g) ?? []).length > 1)).toEqual([]);
  });
});
