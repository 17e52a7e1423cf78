/** Folder of a run in which its profile lies: samples, and a dictionary per lane. */
export const PROFILE_FOLDER = 'profile';
export const PROFILE_FACTS = 'profile.json';
export const PROFILE_SAMPLES = 'samples.jsonl';
/** Samples of Linux perf, where it ran beside V8's profiler. */
export const PERF_SAMPLES = 'perf.jsonl';
