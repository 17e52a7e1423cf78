/** Seconds below which nothing is left to do: hours into a run, a clock in doubles cannot tell less apart. */
const INSTANT = 1e-9;

/**
 * A machine in virtual time. Lanes are generators that yield what they want next; the kernel gives them cores, storage
 * and channels, and keeps account of the five states as the engine's probes do on a real machine.
 *
 * Cores are shared evenly among those who want one: with n lanes on c cores each gets min(1, c / n), the rest of its
 * time is spent queued. Storage is one line in order of arrival behind a latency that overlaps, as a disk or a server is.
 */
export class Kernel {
  now = 0;
  #cores;
  #storage;
  #lineFree = 0;
  #lanes = [];
  #timers = [];
  #ready = [];
  /** CPU seconds of threads that are no lanes: the process's own, and other programs'. */
  outside = 0;
  others = 0;

  constructor({ cores = Number.POSITIVE_INFINITY, storage = undefined } = {}) {
    this.#cores = cores;
    this.#storage = storage;
  }

  get lanes() {
    return this.#lanes.filter(({ owner }) => owner === 'lane');
  }

  /** `owner` is `lane`, `process` for a thread that no lane accounts for, or `others` for another program's. */
  spawn(name, program, owner = 'lane') {
    const lane = {
      name,
      owner,
      program,
      state: 'running',
      left: 0,
      since: 0,
      times: { running: 0, runnable: 0, blocked: 0, starved: 0, backpressured: 0 },
      asked: 0,
      ended: false,
    };
    this.#lanes.push(lane);
    this.#ready.push([lane, undefined]);
    return lane;
  }

  /** Calls back at a moment. */
  at(time, call) {
    const timers = this.#timers;
    timers.push({ time, call });
    for (let at = timers.length - 1; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (timers[parent].time <= timers[at].time) break;
      [timers[parent], timers[at]] = [timers[at], timers[parent]];
      at = parent;
    }
  }

  #pop() {
    const timers = this.#timers;
    const first = timers[0];
    const last = timers.pop();
    if (timers.length > 0) {
      timers[0] = last;
      for (let at = 0; ; ) {
        let least = at;
        for (const child of [2 * at + 1, 2 * at + 2]) {
          if (child < timers.length && timers[child].time < timers[least].time) least = child;
        }
        if (least === at) break;
        [timers[least], timers[at]] = [timers[at], timers[least]];
        at = least;
      }
    }
    return first;
  }

  wake(lane, value) {
    this.#ready.push([lane, value]);
  }

  /** Runs until nothing is left to do or `until` is reached. */
  run(until = Number.POSITIVE_INFINITY) {
    for (;;) {
      while (this.#ready.length > 0) this.#resume(...this.#ready.shift());
      const working = this.#lanes.filter(lane => lane.state === 'running' && !lane.ended);
      const speed = Math.min(1, this.#cores / Math.max(1, working.length));
      const soonest = working.reduce((least, { left }) => Math.min(least, left / speed), Number.POSITIVE_INFINITY);
      const next = Math.min(this.now + soonest, this.#timers[0]?.time ?? Number.POSITIVE_INFINITY, until);
      if (next === Number.POSITIVE_INFINITY) return;
      this.#advance(next - this.now, speed);
      this.now = next;
      for (const lane of working) if (lane.left <= INSTANT) this.#ready.push([lane, undefined]);
      while (this.#timers.length > 0 && this.#timers[0].time <= this.now + INSTANT) this.#pop().call();
      if (this.now >= until) return;
    }
  }

  #advance(seconds, speed) {
    for (const lane of this.#lanes) {
      if (lane.ended) continue;
      if (lane.state === 'running') {
        lane.times.running += seconds * speed;
        lane.times.runnable += seconds * (1 - speed);
        lane.left -= seconds * speed;
        if (lane.owner === 'process') this.outside += seconds * speed;
        if (lane.owner === 'others') this.others += seconds * speed;
      } else lane.times[lane.state] += seconds;
    }
  }

  #resume(lane, value) {
    for (let given = value; ; given = undefined) {
      const { done, value: wish } = lane.program.next(given);
      if (done) {
        lane.ended = true;
        if (lane.owner !== 'lane') this.#lanes.splice(this.#lanes.indexOf(lane), 1);
        return;
      }
      switch (wish.type) {
        case 'cpu':
          if (wish.seconds <= 0) break;
          lane.state = 'running';
          lane.left = wish.seconds;
          return;
        case 'sleep':
          if (wish.seconds <= 0) break;
          lane.state = 'blocked';
          this.at(this.now + wish.seconds, () => this.#wakeFrom(lane));
          return;
        case 'read': {
          const { bytesPerSecond, latency = 0, perReader = Number.POSITIVE_INFINITY } = this.#storage;
          const start = Math.max(this.now, this.#lineFree);
          this.#lineFree = start + wish.bytes / bytesPerSecond;
          const due = Math.max(this.#lineFree, this.now + wish.bytes / perReader) + latency * (wish.jitter ?? 1);
          lane.asked += wish.bytes;
          lane.state = 'blocked';
          this.at(due, () => this.#wakeFrom(lane));
          return;
        }
        case 'offload': {
          lane.state = 'blocked';
          let left = wish.threads;
          const wake = () => {
            if (--left === 0) this.wake(lane);
          };
          for (let thread = 0; thread < wish.threads; thread++) {
            this.spawn('', work(wish.seconds / wish.threads, wake), 'process');
          }
          return;
        }
        case 'get':
        case 'put': {
          const answer = wish.channel[wish.type](lane, wish.item);
          if (answer === WAITING) {
            lane.state = wish.type === 'get' ? 'starved' : 'backpressured';
            return;
          }
          this.#ready.unshift([lane, answer]);
          return;
        }
        default:
          throw new Error(`a lane wants ${wish.type}`);
      }
    }
  }

  #wakeFrom(lane) {
    this.#ready.push([lane, undefined]);
  }
}

export const WAITING = Symbol('waiting');
/** What a closed channel gives. */
export const CLOSED = Symbol('closed');

/** A bounded queue; with a link, an item can be taken once it was carried over. */
export class Channel {
  #kernel;
  #slots;
  #link;
  #linkFree = 0;
  #underWay = 0;
  #queue = [];
  #senders = [];
  #receivers = [];
  #producers = 0;
  #occupancy = 0;
  #saturated = 0;
  #since = 0;

  constructor(kernel, { slots, link = undefined }) {
    this.#kernel = kernel;
    this.#slots = slots;
    this.#link = link;
  }

  get #held() {
    return this.#queue.length + this.#underWay;
  }

  /** Brings the integrals up to now. */
  #account() {
    const seconds = this.#kernel.now - this.#since;
    this.#since = this.#kernel.now;
    this.#occupancy += seconds * this.#held;
    if (this.#held >= this.#slots) this.#saturated += seconds;
  }

  reading() {
    this.#account();
    return { occupancy: this.#occupancy, saturated: this.#saturated, queued: this.#held };
  }

  open() {
    this.#producers++;
  }

  close() {
    this.#producers--;
    this.#drain();
  }

  put(lane, item) {
    if (this.#held >= this.#slots) {
      this.#senders.push([lane, item]);
      return WAITING;
    }
    this.#accept(item);
    return undefined;
  }

  #accept(item) {
    this.#account();
    if (this.#link === undefined) {
      this.#queue.push(item);
      this.#drain();
      return;
    }
    this.#underWay++;
    this.#linkFree = Math.max(this.#kernel.now, this.#linkFree) + this.#link.bytes / this.#link.bytesPerSecond;
    this.#kernel.at(this.#linkFree, () => {
      this.#account();
      this.#underWay--;
      this.#queue.push(item);
      this.#drain();
    });
  }

  get(lane) {
    if (this.#queue.length > 0) return this.#take();
    if (this.#producers === 0 && this.#underWay === 0 && this.#senders.length === 0) return CLOSED;
    this.#receivers.push(lane);
    return WAITING;
  }

  #take() {
    this.#account();
    const item = this.#queue.shift();
    const sender = this.#senders.shift();
    if (sender !== undefined) {
      this.#accept(sender[1]);
      this.#kernel.wake(sender[0], undefined);
    }
    return item;
  }

  #drain() {
    while (this.#receivers.length > 0 && this.#queue.length > 0) {
      const lane = this.#receivers.shift();
      this.#kernel.wake(lane, this.#take());
    }
    if (this.#producers === 0 && this.#held === 0 && this.#senders.length === 0) {
      for (const lane of this.#receivers.splice(0)) this.#kernel.wake(lane, CLOSED);
    }
  }
}

function* work(seconds, then) {
  yield cpu(seconds);
  then();
}

export const cpu = seconds => ({ type: 'cpu', seconds });
export const sleep = seconds => ({ type: 'sleep', seconds });
export const read = (bytes, jitter) => ({ type: 'read', bytes, jitter });
/** CPU spent in threads of one's own, while the lane sleeps. */
export const offload = (seconds, threads) => ({ type: 'offload', seconds, threads });
export const get = channel => ({ type: 'get', channel });
export const put = (channel, item) => ({ type: 'put', channel, item });
