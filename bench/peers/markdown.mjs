/** The tables of docs/pytorch-peers.md. */
import { median } from '../harness.mjs';

const row = cells => `| ${cells.join(' | ')} |`;
const table = (head, rows) => [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');
const times = value => (value === undefined ? '' : value.toFixed(2));

/** One table of what each tool says of each program, and one of what it takes. */
export function markdown(rows) {
  const tools = [...new Set(rows.map(({ tool }) => tool))];
  const programs = [...new Set(rows.map(({ program }) => program))];
  const at = (program, tool) => rows.find(each => each.program === program && each.tool === tool);
  const verdict = ({ absent, verdict: said, isRight, isSide, shows }) => {
    if (absent !== undefined) return absent;
    if (said === 'none') return `none${shows === undefined ? '' : `; ${shows}`}`;
    return `${said}: ${isRight ? 'right' : isSide ? 'the right side' : 'wrong'}`;
  };
  const found = ({ absent, setting, value, trials, tuneSeconds }) =>
    absent !== undefined || setting === undefined
      ? '–'
      : `${setting.replaceAll(/[{}"]/g, '').replaceAll(':', '=').replaceAll(',', ', ')}: ${times(value)} times; ${trials} runs, ${Math.round(tuneSeconds)} s`;
  const loop = tried => {
    const costs = tried.flatMap(({ loopCost }) => (Number.isFinite(loopCost) ? [loopCost] : []));
    return costs.length === 0 ? '–' : `${(100 * median(costs)).toFixed(1)} %`;
  };
  const costs = tools.map(tool => {
    const tried = rows.filter(each => each.tool === tool && each.absent === undefined);
    if (tried.length === 0) return [tool, '–', '–', '–', '–', '–'];
    const share = key => `${tried.filter(each => each[key]).length} of ${tried.length}`;
    return [
      tool,
      [...new Set(tried.map(({ lines }) => lines))].join(' or '),
      share('isRight'),
      share('isSide'),
      loop(tried),
      `${median(tried.map(({ secondsMore }) => secondsMore)).toFixed(1)} s`,
    ];
  });
  return [
    table(
      ['', 'lines to write', 'loader and cause right', 'side right', 'added to the loop', 'added to the command'],
      costs,
    ),
    table(
      ['program', ...tools],
      programs.map(program => [program, ...tools.map(tool => verdict(at(program, tool)))]),
    ),
    table(
      ['program', ...tools],
      programs.map(program => [program, ...tools.map(tool => found(at(program, tool)))]),
    ),
    '',
  ].join('\n\n');
}
