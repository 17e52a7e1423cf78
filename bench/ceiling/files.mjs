/** Files, read over and over; with a bandwidth, from storage that is no faster than that. */
import { files, limitedStorage, localStorage, pipeline } from 'venturi/engine';

export default pipeline(import.meta, { folder: String, bandwidth: 0, lanes: 1 }, ({ folder, bandwidth, lanes }) => {
  const storage = bandwidth === 0 ? localStorage : limitedStorage({ bytesPerSecond: bandwidth });
  return files(folder)
    .map(file => storage.readFile(file.path), { name: 'read', parallelism: lanes })
    .map(bytes => bytes.length, { name: 'measure' })
    .batch(4)
    .repeat();
});
