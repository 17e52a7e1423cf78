export { Line } from './line.ts';
export { VirtualClock } from './virtual-clock.ts';
