/** What the drills with stand-ins for model APIs share: how the product is told of one, and where a secret could have got to. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Installation } from '../support/built-cli.ts';
import { modelIds, providerKey, type Family, type Provider } from '../support/providers/start-provider.ts';

/** Variables and flags that make this server the one that serves `family`. */
export function toSettings(family: Family, provider: Provider): { env: NodeJS.ProcessEnv; flags: string[] } {
  const flags = ['--model', `${family}/${modelIds[family]}`];
  switch (family) {
    case 'openai':
    case 'openai-chat':
      return { env: { OPENAI_API_KEY: providerKey, OPENAI_BASE_URL: provider.baseUrl }, flags };
    case 'anthropic':
      return { env: { ANTHROPIC_API_KEY: providerKey, ANTHROPIC_BASE_URL: provider.baseUrl }, flags };
    case 'google':
      return { env: { GEMINI_API_KEY: providerKey, GOOGLE_GEMINI_BASE_URL: provider.baseUrl }, flags };
    case 'compatible':
      return { env: { TRIBUTARY_API_KEY: providerKey }, flags: [...flags, '--base-url', provider.baseUrl] };
    default:
      return family satisfies never;
  }
}

/** Many characters of three bytes each: one answer of `corpus_read` is over 40 kB. */
export async function writeLongDocument(installation: Installation): Promise<string> {
  const corpus = join(installation.folder, 'documents');
  await mkdir(corpus, { recursive: true });
  const line = (number: number) => `第${number}行：${'河流从山上流向大海，沿途灌溉田野。'.repeat(6)}`;
  const lines = Array.from({ length: 3_000 }, (_, index) => line(index + 1));
  await writeFile(join(corpus, 'river.md'), `# River\n\n${lines.join('\n\n')}\n`);
  return corpus;
}

/** Files below a folder that hold `secret`, as bytes. */
export async function filesWith(folder: string, secret: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = await readFile(path).catch(() => Buffer.alloc(0));
    if (bytes.includes(secret)) found.push(path);
  }
  return found;
}

/** Everything that the server keeps of a run, as text. */
export async function historyText(installation: Installation, runId: string): Promise<string> {
  const histories = await installation.histories(runId);
  return [...histories.values()]
    .flat()
    .map((event) =>
      // Payloads are base64 in the JSON form of an event.
      JSON.stringify(event, (key, value: unknown) =>
        key === 'data' && typeof value === 'string' ? Buffer.from(value, 'base64').toString('utf8') : value,
      ),
    )
    .join('\n');
}
