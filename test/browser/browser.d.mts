import type { LaunchOptions } from 'playwright-core';

export const chromiumOptions: LaunchOptions;
export function buildFixture(root: string, outDir: string): Promise<void>;
