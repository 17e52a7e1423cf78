export { Agenda, NONE } from './agenda.ts';
export { Line } from './line.ts';
export { VirtualClock } from './virtual-clock.ts';
