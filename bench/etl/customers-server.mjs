/** The service that knows customers, in a process of its own so that its work is nobody else's. Answers after 5 ms. Says its port. */
import { createServer } from 'node:http';

const LATENCY_MS = 5;
const COUNTRIES = ['DE', 'FR', 'IT', 'ES', 'PL', 'NL'];

const server = createServer((request, response) => {
  const id = Number(request.url?.split('/').at(-1));
  const customer = { id, name: `Customer ${id}`, country: COUNTRIES[id % COUNTRIES.length], since: 2000 + (id % 26) };
  setTimeout(() => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(customer));
  }, LATENCY_MS);
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
// Whoever started it is gone.
process.stdin.on('end', () => process.exit()).resume();
