export { landmarkBytes, readLandmark } from './landmark.ts';
export { RingConsumer } from './ring-consumer.ts';
export { allocateRing, PART, type RingMemory, TICK_MS } from './ring-end.ts';
export { RingProducer } from './ring-producer.ts';
