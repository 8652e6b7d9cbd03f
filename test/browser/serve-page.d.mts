export const policy: string;
export function servePage(folder: string): Promise<{ readonly url: string; close(): Promise<unknown> }>;
