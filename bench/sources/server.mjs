/** Serves objects of as many bytes as their address says (`/1000000/anything`), with ranges. Prints its port. */
import { createServer } from 'node:http';

const block = Buffer.alloc(1 << 20, 'objects over HTTP ');

const server = createServer(({ url, headers }, response) => {
  const size = Number(url.split('/')[1]);
  const [, from, last] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [undefined, '0', `${size - 1}`];
  const to = Math.min(size, Number(last) + 1);
  let left = to - Number(from);
  response.writeHead(206, { 'content-length': left, 'content-range': `bytes ${from}-${to - 1}/${size}`, etag: '"1"' });
  const more = () => {
    while (left > 0) {
      const piece = block.subarray(0, Math.min(left, block.length));
      left -= piece.length;
      if (!response.write(piece)) break;
    }
    if (left === 0) response.end();
    else response.once('drain', more);
  };
  more();
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
