/** Formats of other programs in which a run can be written. */
export const EXPORT_FORMATS = ['chrome', 'csv'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];
