import { precisePercent } from '../format.ts';
import { orderForDrawing } from '../graph-order.ts';
import type { GraphBlock, GraphNode } from '../tree.ts';
import { escapeHtml } from './escape.ts';
import { rowsLeftOut } from './table.ts';

/**
 * The graph as a table, upstream first: a bar and a percentage for the share of each node, its group, and what it reads from
 * where that is not simply the row above. A body of rows for each group.
 */
export function graphFigure(block: GraphBlock, mostRows: number): string {
  const { nodes, groups } = orderForDrawing(block);
  const labels = new Map(nodes.map(({ id, label }) => [id, label]));
  const notes = new Map(block.edges.map(({ from, to, note }) => [`${from}\n${to}`, note]));
  const shown = nodes.slice(0, mostRows);
  const hasFigures = shown.some(({ figure }) => figure !== undefined && figure !== '');
  const hasGroups = block.groups.length > 0;
  const isChain = block.edges.length === 0 && nodes.every((node, at) => readsFromAbove(node, nodes[at - 1]));

  const upstream = ({ id, inputs }: GraphNode): string =>
    inputs
      .map(input => {
        const note = notes.get(`${input}\n${id}`);
        return `${labels.get(input) ?? input}${note === undefined ? '' : ` (${note})`}`;
      })
      .join(', ');

  const bodies: string[] = [];
  for (let at = 0; at < shown.length; ) {
    const group = groups.get(shown[at]?.id ?? '');
    let end = at + 1;
    while (end < shown.length && groups.get(shown[end]?.id ?? '') === group) end++;
    const label = hasGroups && group !== undefined ? (block.groups[group]?.label ?? '') : '';
    const rows = shown.slice(at, end).map((node, row) => {
      const groupCell = row === 0 ? `<td class="group" rowspan="${end - at}">${escapeHtml(label)}</td>` : '';
      return (
        `<tr${node.emphasis === true ? ' class="emphasis"' : ''}>${nameCell(node)}` +
        `<td class="share">${bar(node.share)}</td><td class="figure">${escapeHtml(precisePercent(node.share))}</td>` +
        `${hasFigures ? `<td class="figure">${escapeHtml(node.figure ?? '')}</td>` : ''}` +
        `${hasGroups ? groupCell : ''}${isChain ? '' : `<td>${escapeHtml(upstream(node))}</td>`}</tr>`
      );
    });
    bodies.push(`<tbody>\n${rows.join('\n')}\n</tbody>`);
    at = end;
  }
  const head =
    '<th scope="col">operator</th><th scope="col" colspan="2">share</th>' +
    `${hasFigures ? '<th scope="col" class="figure">figure</th>' : ''}` +
    `${hasGroups ? '<th scope="col">runs in</th>' : ''}${isChain ? '' : '<th scope="col">reads from</th>'}`;
  return (
    `<figure class="graph">\n<div class="scroll" tabindex="0" role="group" aria-label="graph">\n<table>\n<thead><tr>${head}</tr></thead>\n` +
    `${bodies.join('\n')}\n</table>\n</div>${rowsLeftOut(nodes.length, mostRows)}\n</figure>`
  );
}

const readsFromAbove = ({ inputs }: GraphNode, above: GraphNode | undefined): boolean =>
  above === undefined ? inputs.length === 0 : inputs.length === 1 && inputs[0] === above.id;

/** The node to look at has a mark of its own, because colour may be missing. */
const nameCell = ({ label, emphasis }: GraphNode): string =>
  emphasis === true
    ? `<th scope="row"><span aria-hidden="true">◆</span> <strong>${escapeHtml(label)}</strong></th>`
    : `<th scope="row"><span aria-hidden="true">●</span> ${escapeHtml(label)}</th>`;

/** Length of a full bar, in units of its drawing. */
const FULL = 100;

/** A drawing, since a length in a style attribute would need a policy that lets in any other style, too. */
function bar(share: number | undefined): string {
  const length = share === undefined || !(share > 0) ? 0 : Math.min(1, share) * FULL;
  return (
    `<svg viewBox="0 0 ${FULL} 8" preserveAspectRatio="none" aria-hidden="true">` +
    `<rect class="room" width="${FULL}" height="8"/><rect width="${Number(length.toFixed(1))}" height="8"/></svg>`
  );
}
