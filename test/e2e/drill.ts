/** What the drills share: a scripted run of six subagents over two documents, and the model's own record of its requests. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Installation } from '../support/built-cli.ts';

/** Moments per drill: few in CI, ten for the numbers in the README. */
export const moments = Number(process.env.DRILL_MOMENTS ?? 3);

export type Request = {
  readonly at: number;
  readonly request?: string;
  readonly answered?: string;
  readonly ended?: string;
};
export type DrillRun = { readonly runId: string; requests(): Promise<Request[]> };

const turns = (document: string) => [
  { calls: [{ tool: 'corpus_search', arguments: { query: document } }] },
  { calls: [{ tool: 'corpus_read', arguments: { document: `${document}.md` } }] },
  { latency: '500ms', calls: [{ tool: 'corpus_search', arguments: { query: 'more' } }] },
  {
    report: {
      summary: `What ${document} says.`,
      claims: [
        { text: `The ${document} is described.`, document: `${document}.md`, quote: `The ${document} is quoted here.` },
      ],
    },
  },
];

/** Starts a run without a worker of its own; its script, and so its record of requests, is only its own. */
export async function startDrillRun(installation: Installation, name: string, latency = '300ms'): Promise<DrillRun> {
  const { folder } = installation;
  const corpus = join(folder, 'documents');
  await mkdir(corpus, { recursive: true });
  for (const document of ['river', 'mountain']) {
    await writeFile(
      join(corpus, `${document}.md`),
      `# ${document}\n\nThe ${document} is quoted here. There is more to say.\n`,
    );
  }
  const script = join(folder, `${name}.yaml`);
  const log = join(folder, `${name}.jsonl`);
  const subagents = Object.fromEntries([1, 2, 3, 4, 5, 6].map((n) => [`s${n}`, turns(n % 2 ? 'river' : 'mountain')]));
  const plan = [1, 2, 3, 4, 5, 6].map((n) => `subtask ${n}`);
  await writeFile(script, stringify({ latency, log, plan, subagents }));
  const started = await installation.run([
    'start',
    `Drill ${name}?`,
    '--corpus',
    corpus,
    '--model',
    `scripted:${script}`,
  ]);
  if (started.code !== 0) throw new Error(started.stderr);
  return {
    runId: started.stdout.trim(),
    async requests() {
      const text = await readFile(log, 'utf8').catch(() => '');
      return text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Request);
    },
  };
}

/** Repeatable "random" moments, spread over the life of a run. */
export function momentsOf(seed: number, count: number, spanMs: number): number[] {
  let state = seed;
  return Array.from({ length: count }, (_, index) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.round(((index + state / 2_147_483_648) / count) * spanMs);
  });
}

export const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
