export const ELEMENT_BYTES: number;
export function make(format: string, path: string, bytes: number): number;
export function makeFolder(folder: string, bytes: number): number;
