/** Version of the run format that is written. Apart from the schema: what records a run need not load what checks one. */
export const RUN_VERSION = 1;
