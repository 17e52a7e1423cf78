/** Folder of a run in which its profile lies: samples, and a dictionary per lane. */
export const PROFILE_FOLDER = 'profile';
export const PROFILE_FACTS = 'profile.json';
export const PROFILE_SAMPLES = 'samples.jsonl';
