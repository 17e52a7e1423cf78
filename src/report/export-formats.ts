/** Formats of other programs in which a profile can be written. */
const PROFILE_FORMATS = ['cpuprofile', 'speedscope', 'pprof', 'collapsed'] as const;
export type ProfileFormat = (typeof PROFILE_FORMATS)[number];

/** Formats of other programs in which a run can be written. */
export const EXPORT_FORMATS = [
  'perfetto',
  'chrome',
  'csv',
  'parquet',
  'prometheus',
  'otlp',
  'markdown',
  'html',
  ...PROFILE_FORMATS,
] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** How a file is named behind the run's name; a folder where it has no dot. */
export const EXPORT_ENDINGS: Readonly<Record<ExportFormat, string>> = {
  perfetto: '.pftrace',
  chrome: '.json',
  csv: '-csv',
  parquet: '-parquet',
  prometheus: '.prom',
  otlp: '.otlp.jsonl',
  markdown: '.md',
  html: '.html',
  cpuprofile: '-cpuprofile',
  speedscope: '.speedscope.json',
  pprof: '.pb.gz',
  collapsed: '.collapsed.txt',
};
