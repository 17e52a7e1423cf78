/**
 * Lines are numbered so that a number alone says whose code it is: V8 gives a sample inside inlined code the line of the inlined function
 * and the file of the outer one. Files of the engine, of packages and of Node have fewer lines than `AUTHOR_LINES`; the author's
 * module begins there while it is profiled, and every generated loop has a range of its own from `GENERATED_LINES` on.
 */
export const AUTHOR_LINES = 2 ** 16;
export const GENERATED_LINES = 2 ** 24;

/** In the place of the line of a sample in which a lane waited for its neighbours. */
export const WAITING_LINE = -1;
