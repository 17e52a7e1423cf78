import { describe, expect, test } from 'vitest';
import { EventHub, type EventSink } from './event-hub.ts';

/** A reader that takes events only while it is told to. */
class FakeSink implements EventSink {
  isReading = true;
  isDestroyed = false;
  readonly texts: string[] = [];
  readonly #listeners = new Map<string, () => void>();

  write(chunk: Buffer): boolean {
    this.texts.push(chunk.toString());
    return this.isReading;
  }
  end(): void {
    this.#listeners.get('close')?.();
  }
  destroy(): void {
    this.isDestroyed = true;
    this.end();
  }
  on(event: 'drain' | 'close', listener: () => void): void {
    this.#listeners.set(event, listener);
  }
  read(): void {
    this.isReading = true;
    this.#listeners.get('drain')?.();
  }
}

const event = (data: string): string => `event: section\ndata: ${data}\n\n`;

describe('the hub of events', () => {
  test('a reader that pauses gets the newest of each section, once', () => {
    const hub = new EventHub();
    const sink = new FakeSink();
    hub.attach(sink);
    sink.isReading = false;
    for (let round = 0; round < 100; round++) {
      hub.publish('a', `a${round}`);
      hub.publish('b', `b${round}`);
    }
    expect(sink.texts).toEqual([event('a0')]);
    expect(hub.waiting).toBe(2);
    sink.read();
    expect(sink.texts.slice(1).sort()).toEqual([event('a99'), event('b99')]);
  });

  test('a reader that comes late gets what changed before, and one that comes after the end the end', () => {
    const hub = new EventHub();
    hub.publish('a', '1');
    hub.publish('a', '2');
    const late = new FakeSink();
    hub.attach(late);
    expect(late.texts).toEqual([event('2')]);
    hub.end();
    const last = new FakeSink();
    hub.attach(last);
    expect(last.texts).toEqual([event('2'), 'event: end\ndata: {}\n\n']);
    expect(hub.readers).toBe(0);
  });

  test('a reader that is gone is dropped after some beats; one that reads stays', () => {
    const hub = new EventHub();
    const [gone, here] = [new FakeSink(), new FakeSink()];
    hub.attach(gone);
    hub.attach(here);
    gone.isReading = false;
    hub.publish('a', '1');
    for (let beat = 0; beat < 10; beat++) hub.beat();
    expect(gone.isDestroyed).toBe(true);
    expect(gone.texts).toHaveLength(1);
    expect(here.isDestroyed).toBe(false);
    expect(hub.readers).toBe(1);
  });

  test('a line break in data does not begin another field', () => {
    const hub = new EventHub();
    const sink = new FakeSink();
    hub.attach(sink);
    hub.publish('a', '1\n\nevent: end');
    expect(sink.texts).toEqual([event('1  event: end')]);
  });
});
