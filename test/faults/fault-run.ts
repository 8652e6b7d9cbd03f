/** The run of the drills: scripted subagents that each read, write a line of their own, and hand back. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { History } from '../support/read-history.ts';
import type { FaultSite } from './fault-site.ts';

/** One line of the record that the scripted model and the tools keep: a request, or its end. */
export type Noted = {
  readonly at: number;
  readonly request?: string;
  readonly answered?: string;
  readonly ended?: string;
};

export type FaultRun = {
  readonly runId: string;
  readonly subagents: readonly string[];
  /** What the scripted model was asked, as `s1 turn 2`, `plan` and `synthesis`. */
  modelRecord(): Promise<Noted[]>;
  /** What the tools were asked, as `look s1` and `append_line s1`. */
  toolRecord(): Promise<Noted[]>;
  /** Lines that were really written. */
  lines(): Promise<string[]>;
  history(subagent?: string): Promise<History>;
};

export type FaultRunOptions = {
  readonly subagents?: number;
  /** Of every model call. */
  readonly latency?: string;
  readonly readMs?: number;
  /** Before and after the line is in the file. */
  readonly beforeWriteMs?: number;
  readonly afterWriteMs?: number;
  readonly flags?: readonly string[];
};

export async function startFaultRun(site: FaultSite, name: string, options: FaultRunOptions = {}): Promise<FaultRun> {
  const { subagents: count = 20, latency = '250ms', readMs = 300, beforeWriteMs = 0, afterWriteMs = 400 } = options;
  const { installation } = site;
  const files = join(installation.folder, name);
  const ids = Array.from({ length: count }, (_, index) => `s${index + 1}`);
  const turns = (line: string) => [
    { calls: [{ tool: 'look', arguments: { files, line, ms: readMs } }] },
    { calls: [{ tool: 'append_line', arguments: { files, line, ms: afterWriteMs, beforeMs: beforeWriteMs } }] },
    { report: { summary: `What ${line} found.` } },
  ];
  const script = {
    latency,
    log: `${files}.model`,
    plan: ids.map((id) => `subtask of ${id}`),
    subagents: Object.fromEntries(ids.map((id) => [id, turns(id)])),
    synthesis: { latency: '600ms', text: 'The report.' },
  };
  await writeFile(`${files}.yaml`, stringify(script, { aliasDuplicateObjects: false }));
  const started = await installation.run([
    ...['start', `Drill ${name}?`, '--model', `scripted:${files}.yaml`, '--max-subagents', String(count)],
    ...['--budget-tokens', '4000000', '--max-output-tokens', '1000', ...(options.flags ?? [])],
  ]);
  if (started.code !== 0) throw new Error(started.stderr);
  const runId = started.stdout.trim();
  const client = await installation.client();
  return {
    runId,
    subagents: ids,
    modelRecord: () => readNoted(`${files}.model`),
    toolRecord: () => readNoted(`${files}.tools`),
    lines: () => readLines(`${files}.lines`),
    history: (subagent) =>
      client.workflow.getHandle(subagent === undefined ? runId : `${runId}/${subagent}`).fetchHistory(),
  };
}

async function readLines(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.split('\n').filter(Boolean);
}

async function readNoted(file: string): Promise<Noted[]> {
  // A line that is being written is read next time.
  const text = await readFile(file, 'utf8').catch(() => '');
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Noted);
}

/** Requests of this record that have begun and have no end yet. */
export function openIn(record: readonly Noted[]): string[] {
  const open = new Map<string, number>();
  for (const { request, answered, ended } of record) {
    const place = (request ?? answered ?? ended)!;
    open.set(place, (open.get(place) ?? 0) + (request === undefined ? -1 : 1));
  }
  return [...open].filter(([, count]) => count > 0).map(([place]) => place);
}
