import { expect, test } from '@jest/globals';
import { activitiesOf, eventsOf, type History } from '../support/read-history.ts';
import { keyTool, scriptedModel, subtasks } from '../support/scripts.ts';
import { useWorld } from '../support/temporal.ts';
import { temporal } from '@temporalio/proto';

const { start, history } = useWorld('history flat');
const wire = temporal.api.history.v1.HistoryEvent;
const marker = 'unmistakable';

/** Bytes that each turn added: from the scheduling of one model call to that of the next. */
function bytesPerTurn(of: History): number[] {
  const starts = activitiesOf(of, 'callModelActivity').map(({ eventId }) => eventId);
  return starts.slice(0, -1).map((from, index) =>
    eventsOf(of)
      .filter((event) => Number(event.eventId) >= from && Number(event.eventId) < starts[index + 1]!)
      .reduce((sum, event) => sum + wire.encode(event).finish().byteLength, 0),
  );
}

test('twenty turns with results of 16,000 characters: a late turn adds no more to the history than an early one', async () => {
  const page = keyTool('page', (key) => ({
    text: `${key} ${`${marker} words `.repeat(1_500)}`,
    sources: [{ id: `d${key}`, url: `${key}.md`, title: `Page ${key}` }],
  }));
  const said = 'the model thinks aloud, '.repeat(20);
  const turns = Array.from({ length: 20 }, (_, turn) => ({
    text: said,
    calls: [{ tool: 'page', arguments: { key: String(turn) } }],
  }));
  const model = scriptedModel({ subagents: { s1: [...turns, { report: { summary: 'done' } }] } });
  const run = await start({ question: 'Q', subtasks: subtasks(1), maxTurns: 25 }, { model, tools: [page] });
  const result = await run.result();
  expect(result.status).toBe('completed');
  expect(result.subagents[0]!.turns).toBe(21);
  const child = await history(`${run.runId}/s1`);
  const bytes = bytesPerTurn(child);
  expect(bytes).toHaveLength(20);
  expect(bytes[19]!).toBeLessThanOrEqual(1.2 * bytes[2]!);
  // Neither what a tool answered nor what the model said is in any history, beyond a short preview.
  for (const [workflowId, each] of await run.histories()) {
    const text = eventsOf(each)
      .map((event) => Buffer.from(wire.encode(event).finish()).toString('utf8'))
      .join('\n');
    const runs = text.match(new RegExp(`(?:${marker} words ?)+`, 'g')) ?? [];
    for (const found of runs) expect(found.length).toBeLessThanOrEqual(200);
    expect({ workflowId, transcript: text.includes(said) }).toEqual({ workflowId, transcript: false });
  }
  // The model, though, saw every word of all of them.
  const last = model.requests.find(({ place }) => place === 's1 turn 21')!.request;
  expect(JSON.stringify(last.messages).length).toBeGreaterThan(20 * 16_000);
});
