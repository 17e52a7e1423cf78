/** What an event stands for; the rest of its number says for which lane or channel. */
const [WOKEN, OFFLOADED, CARRIED, KINDS] = [0, 1, 2, 3];

/**
 * A machine in virtual time. Lanes are generators that yield what they want next; the kernel gives them cores, storage
 * and channels, and keeps account of the five states as the engine's probes do on a real machine.
 *
 * Cores are shared evenly among those who want one: with n lanes on c cores each gets min(1, c / n), the rest of its
 * time is spent queued. Storage is one line in order of arrival behind a latency that overlaps, as a disk or a server is.
 */
export class Kernel {
  #clock;
  #storage;
  #line;
  #channels = [];
  #ready = [];
  #offloading = 0;
  #crowd = 0;
  /** The second clock, when threads that are no lanes were last accounted for. */
  #accounted = 0;
  lanes = [];
  /** CPU seconds of threads that are no lanes: the process's own, and other programs'. */
  outside = 0;
  others = 0;

  /** `simulation` has VirtualClock and Line. */
  constructor({ cores = Number.POSITIVE_INFINITY, storage = undefined }, { VirtualClock, Line }) {
    this.#clock = new VirtualClock(threads => Math.min(1, cores / threads));
    this.#storage = storage;
    this.#line = new Line();
  }

  get now() {
    return this.#clock.now;
  }

  spawn(name, program) {
    const times = { running: 0, runnable: 0, blocked: 0, starved: 0, backpressured: 0 };
    const lane = { id: this.lanes.length, name, program, state: 'running', since: 0, worked: 0, times, ended: false };
    this.lanes.push(lane);
    this.wake(lane, undefined);
    return lane;
  }

  /** Threads of other programs that always want a core. */
  crowd(threads) {
    this.#crowd = threads;
    if (threads > 0) this.#clock.work(Number.POSITIVE_INFINITY, threads, 0);
  }

  connect(channel) {
    return this.#channels.push(channel) - 1;
  }

  /** The first item under way in a channel has come at that moment. */
  carry(channel, moment) {
    this.#clock.at(moment, channel * KINDS + CARRIED);
  }

  wake(lane, value) {
    this.#ready.push([lane, value]);
  }

  /** Runs until nothing is left to do or `until` is reached. */
  run(until = Number.POSITIVE_INFINITY) {
    for (;;) {
      while (this.#ready.length > 0) this.#resume(...this.#ready.shift());
      const moment = this.#clock.nextMoment;
      if (moment === Number.POSITIVE_INFINITY || moment > until) break;
      this.#happens(this.#clock.next());
    }
    if (until !== Number.POSITIVE_INFINITY) this.#clock.advance(until);
    for (const lane of this.lanes) this.#account(lane, lane.state);
    this.#accountOthers();
  }

  #happens(event) {
    const id = Math.floor(event / KINDS);
    if (event % KINDS === CARRIED) {
      this.#channels[id].carried();
      return;
    }
    const lane = this.lanes[id];
    if (event % KINDS === OFFLOADED) this.#offload(-lane.offloaded);
    this.wake(lane, undefined);
  }

  /** Brings a lane's times up to now, and puts it into a state. */
  #account(lane, state) {
    const { now, worked } = this.#clock;
    const seconds = lane.ended ? 0 : now - lane.since;
    if (lane.state === 'running') {
      const had = lane.ended ? 0 : worked - lane.worked;
      lane.times.running += had;
      lane.times.runnable += Math.max(0, seconds - had);
    } else lane.times[lane.state] += seconds;
    lane.since = now;
    lane.worked = worked;
    lane.state = state;
  }

  #accountOthers() {
    const had = this.#clock.worked - this.#accounted;
    this.#accounted += had;
    this.outside += had * this.#offloading;
    this.others += had * this.#crowd;
  }

  #offload(threads) {
    this.#accountOthers();
    this.#offloading += threads;
  }

  #resume(lane, value) {
    const clock = this.#clock;
    for (let given = value; ; ) {
      const { done, value: wish } = lane.program.next(given);
      given = undefined;
      if (done) {
        this.#account(lane, lane.state);
        lane.ended = true;
        return;
      }
      switch (wish.type) {
        case 'cpu':
          if (wish.seconds <= 0) break;
          this.#account(lane, 'running');
          clock.work(wish.seconds, 1, lane.id * KINDS + WOKEN);
          return;
        case 'sleep':
          if (wish.seconds <= 0) break;
          this.#account(lane, 'blocked');
          clock.after(wish.seconds, lane.id * KINDS + WOKEN);
          return;
        case 'read': {
          const { bytesPerSecond, latency = 0, perReader = Number.POSITIVE_INFINITY } = this.#storage;
          const served = this.#line.serve(clock.now, wish.bytes / bytesPerSecond);
          const due = Math.max(served, clock.now + wish.bytes / perReader) + latency * (wish.jitter ?? 1);
          this.#account(lane, 'blocked');
          clock.at(due, lane.id * KINDS + WOKEN);
          return;
        }
        case 'offload':
          this.#account(lane, 'blocked');
          lane.offloaded = wish.threads;
          this.#offload(wish.threads);
          clock.work(wish.seconds / wish.threads, wish.threads, lane.id * KINDS + OFFLOADED);
          return;
        case 'get':
        case 'put':
          given = wish.channel[wish.type](lane, wish.item);
          if (given === WAITING) {
            this.#account(lane, wish.type === 'get' ? 'starved' : 'backpressured');
            return;
          }
          break;
        default:
          throw new Error(`a lane wants ${wish.type}`);
      }
    }
  }
}

export const WAITING = Symbol('waiting');
/** What a closed channel gives. */
export const CLOSED = Symbol('closed');

/** A bounded queue; with a link, an item can be taken once it was carried over. */
export class Channel {
  #kernel;
  #id;
  #slots;
  #link;
  #line;
  #underWay = [];
  #queue = [];
  #senders = [];
  #receivers = [];
  #producers = 0;
  #occupancy = 0;
  #saturated = 0;
  #since = 0;

  constructor(kernel, { slots, link = undefined }, { Line }) {
    this.#kernel = kernel;
    this.#id = kernel.connect(this);
    this.#slots = slots;
    this.#link = link;
    this.#line = new Line();
  }

  get #held() {
    return this.#queue.length + this.#underWay.length;
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
    this.#underWay.push(item);
    this.#kernel.carry(this.#id, this.#line.serve(this.#kernel.now, this.#link.bytes / this.#link.bytesPerSecond));
  }

  /** The first item under way has come. */
  carried() {
    this.#account();
    this.#queue.push(this.#underWay.shift());
    this.#drain();
  }

  get(lane) {
    if (this.#queue.length > 0) return this.#take();
    if (this.#producers === 0 && this.#underWay.length === 0 && this.#senders.length === 0) return CLOSED;
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

export const cpu = seconds => ({ type: 'cpu', seconds });
export const sleep = seconds => ({ type: 'sleep', seconds });
export const read = (bytes, jitter) => ({ type: 'read', bytes, jitter });
/** CPU spent in threads of one's own, while the lane sleeps. */
export const offload = (seconds, threads) => ({ type: 'offload', seconds, threads });
export const get = channel => ({ type: 'get', channel });
export const put = (channel, item) => ({ type: 'put', channel, item });
