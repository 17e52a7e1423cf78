/** Paths as text: a page has no file system to ask. */

/** The last part of a path, without `suffix`. */
export function fileName(path: string, suffix = ''): string {
  const name = path.replace(/\/+$/, '').replace(/^.*\//s, '');
  return suffix !== '' && name.endsWith(suffix) ? name.slice(0, -suffix.length) : name;
}

/** Relative to `directory` for a file below it, otherwise unchanged. */
export function pathFrom(directory: string, file: string): string {
  const folder = directory.endsWith('/') ? directory : `${directory}/`;
  if (file.startsWith(folder)) return file.slice(folder.length);
  return file.startsWith('./') ? file.slice(2) : file;
}
