/** Counts what is as it should be, by result, and says of every program how it went. */
import { shareInterval } from '../harness.mjs';

/** Each result: what it must reach. */
const GOALS = {
  'same-output': '1',
  'counts-exact': '1',
  'headline-right': '>= 0.95',
  'advice-runs': '1',
  'advice-helps': '>= 0.9',
};

export class Score {
  #report;
  #results = Object.fromEntries(Object.keys(GOALS).map(name => [name, []]));

  constructor(report) {
    this.#report = report;
  }

  add(result, program, isGood, told) {
    this.#results[result].push({ program, isGood });
    if (!isGood) process.stderr.write(`${result}: ${program}: ${told}\n`);
  }

  /** One line for a program: good of all, by result. A run that is cut has said this much. */
  done(program, seconds, told) {
    const counts = Object.entries(this.#results).flatMap(([result, rows]) => {
      const own = rows.filter(row => row.program === program);
      return own.length === 0 ? [] : [`${result} ${own.filter(({ isGood }) => isGood).length}/${own.length}`];
    });
    const more = told === undefined ? '' : `; ${told}`;
    process.stderr.write(`${program}: ${counts.join(', ')}${more} (${seconds.toFixed(0)} s)\n`);
  }

  reportAbsent(absent) {
    for (const name of Object.keys(GOALS)) this.#report({ case: name, absent });
  }

  reportAll(facts) {
    for (const [result, rows] of Object.entries(this.#results)) {
      if (rows.length === 0) continue;
      const wrong = rows.filter(({ isGood }) => !isGood).map(({ program }) => program);
      this.#report({
        case: result,
        ...shareInterval(rows.length - wrong.length, rows.length),
        unit: 'share',
        of: rows.length,
        goal: GOALS[result],
        ...(wrong.length > 0 && { wrong: [...new Set(wrong)].join(' ') }),
        ...facts,
      });
    }
  }
}
