export function difference(own: readonly object[], other: readonly object[]): string | undefined;
