export { Agenda, NONE } from './agenda.ts';
export { FlowLinks } from './flow-links.ts';
export { Line } from './line.ts';
export type { LinkSpeeds, Links } from './links.ts';
export { SharedLinks } from './shared-links.ts';
export { VirtualClock } from './virtual-clock.ts';
