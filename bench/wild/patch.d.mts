export function patched(source: string, diff: readonly string[]): string;
