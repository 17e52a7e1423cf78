/** Who takes what the pipeline yields; channels lead to it under this name. */
export const CONSUMER = 'consumer';
