/**
 * Part of a run's memory budget that each of so many lanes may hold for elements under way: channels take half, and the consumer counts as
 * one more. A lane looks for garbage when it has written as much.
 */
export const laneShare = (lanes: number): number => 1 / 2 / (lanes + 1);
