import { type Message, many, one } from '../protobuf/message.ts';

/**
 * What TensorFlow's RunMetadata says of one call of Session.run: for every device the executions of nodes, and where it was asked for, the
 * graphs as they were cut into devices. Numbers as in tensorflow/core/framework and tensorflow/core/protobuf/config.proto.
 */
const ALLOCATION = { requested_bytes: one(1, 'integer') };
const OUTPUT = { tensor_description: one(3, { allocation_description: one(4, ALLOCATION) }) };

const NODE_EXEC_STATS = {
  node_name: one(1, 'text'),
  all_start_micros: one(2, 'bigint'),
  all_end_rel_micros: one(5, 'integer'),
  output: many(7, OUTPUT),
  timeline_label: one(8, 'text'),
  all_start_nanos: one(13, 'bigint'),
  all_end_rel_nanos: one(16, 'integer'),
};

export const STEP_STATS = {
  dev_stats: many(1, { device: one(1, 'text'), node_stats: many(2, NODE_EXEC_STATS) }),
};

const NODE_DEF = {
  name: one(1, 'text'),
  op: one(2, 'text'),
  input: many(3, 'text'),
  device: one(4, 'text'),
  attr: many(5, { key: one(1, 'text'), value: one(2, { s: one(2, 'text') }) }),
};

export const RUN_METADATA = {
  step_stats: one(1, STEP_STATS),
  partition_graphs: many(3, { node: many(1, NODE_DEF) }),
};

export type RunMetadata = Message<typeof RUN_METADATA>;
export type NodeExecStats = Message<typeof NODE_EXEC_STATS>;
