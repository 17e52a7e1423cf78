import type { ExportFormat } from '../../report/export-formats.ts';
import { chromeExporter } from './export-chrome.ts';
import { prometheusExporter } from './export-metrics.ts';
import { otlpExporter } from './export-otlp.ts';
import { perfettoExporter } from './export-perfetto.ts';
import { profileExporter } from './export-profile.ts';
import { htmlExporter, markdownExporter } from './export-report.ts';
import { csvExporter, parquetExporter } from './export-tables.ts';
import type { Exporter } from './exporter.ts';

export const EXPORTERS: Readonly<Record<ExportFormat, Exporter>> = {
  perfetto: perfettoExporter,
  chrome: chromeExporter,
  csv: csvExporter,
  parquet: parquetExporter,
  prometheus: prometheusExporter,
  otlp: otlpExporter,
  markdown: markdownExporter,
  html: htmlExporter,
  cpuprofile: profileExporter('cpuprofile'),
  speedscope: profileExporter('speedscope'),
  pprof: profileExporter('pprof'),
  collapsed: profileExporter('collapsed'),
};
