import { workerData } from 'node:worker_threads';
import { packError } from '../../errors/portable-error.ts';
import { HttpClient } from './http-client.ts';
import { HttpObject } from './http-object.ts';
import { ANSWERS, HEARTBEAT_MS, LIFE, type Order, type Reply, type ThreadData } from './http-orders.ts';

/**
 * The thread that fetches for one that reads synchronously. It can use the network, which is asynchronous, while the
 * other sleeps until its bytes are there.
 */
function main({ settings, port, signs }: ThreadData): void {
  const client = new HttpClient(settings, new AbortController().signal);
  const files = new Map<number, HttpObject>();
  const words = new Int32Array(signs);
  const beat = (): void => void Atomics.add(words, LIFE, 1);
  beat();
  setInterval(beat, HEARTBEAT_MS).unref();

  /** All parts of an open file belong to one object, which sees that they are of one version. */
  const objectOf = (file: number, url: string): HttpObject => {
    const object = files.get(file) ?? new HttpObject(url, client);
    files.set(file, object);
    return object;
  };

  const carryOut = async (order: Exclude<Order, { kind: 'close' }>): Promise<Reply> => {
    const { number, url } = order;
    try {
      if (order.kind === 'range') return { number, ...(await objectOf(order.file, url).read(order.from, order.to)) };
      const bytes = await new HttpObject(url, client).readWhole(Promise.resolve());
      return { number, bytes, size: bytes.length };
    } catch (error) {
      return { number, error: packError(error) };
    }
  };

  port.on('message', async (order: Order) => {
    if (order.kind === 'close') {
      files.delete(order.file);
      return;
    }
    const reply = await carryOut(order);
    port.postMessage(reply, 'bytes' in reply ? [reply.bytes.buffer] : []);
    Atomics.add(words, ANSWERS, 1);
    Atomics.notify(words, ANSWERS);
  });
}

main(workerData as ThreadData);
