import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { temporal } from '@temporalio/proto';
import { collect, Installation } from '../support/built-cli.ts';
import { serveRun } from '../support/providers/serve-run.ts';
import { families, providerKey, startProvider } from '../support/providers/start-provider.ts';
import { filesWith, historyText, toSettings, writeLongDocument } from './vendor.ts';

const wire = temporal.api.history.v1.HistoryEvent;
const goals = [1, 2, 3, 4, 5, 6].map((number) => `Follow the river, part ${number}.`);
const turns = 20;

let installation: Installation;
let corpus: string;
beforeAll(async () => {
  installation = await Installation.create();
  corpus = await writeLongDocument(installation);
});
afterAll(() => installation.destroy());

type History = Parameters<typeof wire.encode>[0][];

/** Bytes that each turn added: from the scheduling of one model call to that of the next. */
function bytesPerTurn(events: History): number[] {
  const starts = events.flatMap((event, index) =>
    event.activityTaskScheduledEventAttributes?.activityType?.name === 'callModelActivity' ? [index] : [],
  );
  return starts
    .slice(0, -1)
    .map((from, at) =>
      events.slice(from, starts[at + 1]).reduce((sum, event) => sum + wire.encode(event).finish().byteLength, 0),
    );
}

describe.each(families)('%s', (family) => {
  test('six subagents, twenty turns of several calls with results of 40 kB: legal throughout, and the history stays flat', async () => {
    const serve = serveRun({
      goals,
      turns,
      calls: (_, turn) => [
        { name: 'corpus_read', arguments: { document: 'river.md', offset: (turn - 1) * 14_000 } },
        { name: 'corpus_search', arguments: { query: `river ${turn}`, limit: 1 } },
      ],
    });
    const provider = await startProvider(family, (request) => ({
      ...serve(request),
      usage: { input: Math.ceil(request.raw.length / 4), output: 200 },
    }));
    const { env, flags } = toSettings(family, provider);
    const worker = await installation.startWorker(env);
    const finished = await installation.run(
      [
        ...['run', 'Where does the river go?', '--corpus', corpus, '--json', '--max-turns', '25', ...flags],
        ...['--budget-tokens', '200000000', '--budget-calls', '2000', '--timeout', '4m'],
      ],
      env,
    );
    expect({ code: finished.code, stderr: finished.stderr.slice(-2_000) }).toMatchObject({ code: 0 });
    const result = JSON.parse(finished.stdout);
    expect(provider.refusals).toEqual([]);
    expect(provider.requests).toHaveLength(1 + goals.length * (turns + 1) + 1);
    expect(result.status).toBe('completed');
    expect(result.toolCallsPerMessage).toBe(2);
    expect(result.citations.length).toBeGreaterThanOrEqual(6);
    expect(result.citations.every((citation: { verified: boolean }) => citation.verified)).toBe(true);
    const results = provider.requests.at(-2)!.asked.results;
    expect(Math.max(...results.map((text) => Buffer.byteLength(text)))).toBeGreaterThan(40_000);

    const histories = await installation.histories(result.runId);
    const flatness = [...histories].slice(1).map(([, events]) => {
      const bytes = bytesPerTurn(events);
      expect(bytes).toHaveLength(turns);
      return bytes[19]! / bytes[2]!;
    });
    expect(flatness).toHaveLength(6);
    for (const ratio of flatness) expect(ratio).toBeLessThanOrEqual(1.2);
    // Neither the key nor the words of documents are in a history, beyond short previews.
    const text = await historyText(installation, result.runId);
    expect(text.includes('Follow the river')).toBe(true);
    expect(text.includes(providerKey)).toBe(false);
    expect(/[\u3000-\u9fff\uff0c\uff1a\d]{250,}/.test(text)).toBe(false);
    expect(await filesWith(installation.dataDir, providerKey)).toEqual([]);
    expect(finished.stdout + finished.stderr).not.toContain(providerKey);
    worker.kill('SIGTERM');
    await collect(worker);
    await provider.close();
    if (process.env.DRILL_MOMENTS) {
      process.stderr.write(
        `${family}: ${provider.requests.length} requests, 0 refused, history of turn 20 against turn 3: ${Math.max(...flatness).toFixed(3)}\n`,
      );
    }
  }, 300_000);
});
