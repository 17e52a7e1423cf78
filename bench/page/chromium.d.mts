import type { Browser } from 'playwright-core';

export const chromiumPath: string | undefined;
export const NO_CHROMIUM: string;
export function launchChromium(): Promise<Browser>;
