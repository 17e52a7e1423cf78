/** Exit status that shells report of a program which a signal ended: 128 + the signal's number (bash(1), "EXIT STATUS"). */
export const statusOfSignal = (signal: number): number => 128 + signal;
