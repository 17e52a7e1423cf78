import type { MetricFamily } from './metric-family.ts';

const escaped = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
const quoted = (text: string): string => `"${escaped(text).replaceAll('"', '\\"')}"`;

/** Families as Prometheus reads them (text format 0.0.4), without times: for a file that node_exporter's textfile collector or a pushgateway takes. */
export function* prometheusText(families: readonly MetricFamily[]): Generator<string, void, undefined> {
  for (const { name, help, type, points } of families) {
    if (points.length === 0) continue;
    yield `# HELP ${name} ${escaped(help)}\n# TYPE ${name} ${type}\n`;
    for (const { labels, value } of points) {
      const pairs = Object.entries(labels).map(([label, text]) => `${label}=${quoted(text)}`);
      yield `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}\n`;
    }
  }
}
