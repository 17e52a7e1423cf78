/** Formats of other programs in which a profile can be written. */
export const PROFILE_FORMATS = ['cpuprofile', 'speedscope', 'pprof', 'collapsed'] as const;
export type ProfileFormat = (typeof PROFILE_FORMATS)[number];

/** Formats of other programs in which a run can be written. */
export const EXPORT_FORMATS = ['chrome', 'csv', ...PROFILE_FORMATS] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** How a file of a profile is named behind the run's name; of a folder, `NAME-cpuprofile`. */
export const PROFILE_ENDINGS: Readonly<Record<ProfileFormat, string>> = {
  cpuprofile: '-cpuprofile',
  speedscope: '.speedscope.json',
  pprof: '.pb.gz',
  collapsed: '.collapsed.txt',
};
