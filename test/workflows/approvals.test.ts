import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { ResearchClient } from '../../src/client/research-client.ts';
import type { PendingApproval, RunHandle } from '../../src/client/research-api.ts';
import { toolErrorText } from '../../src/domain/tool-error-text.ts';
import { defineTool, type Tool } from '../../src/tools/tool.ts';
import { waitUntil } from '../support/gate.ts';
import { answers, endsOf, resultsAt, scriptedModel, subtasks, turnWith } from '../support/scripts.ts';
import { useWorld } from '../support/temporal.ts';

const { start, world } = useWorld('approvals');
const client = () => new ResearchClient({ client: world().client, taskQueue: world().taskQueue, identity: 'me@here' });

/** A write tool that asks first, and what it wrote. */
function noteTool(): { readonly tool: Tool; readonly written: string[] } {
  const written: string[] = [];
  const tool = defineTool({
    name: 'note',
    description: 'Writes a note.',
    effect: 'write',
    asksFirst: true,
    input: z.object({ text: z.string() }),
    async run({ text }) {
      written.push(text);
      return { text: `wrote ${text}` };
    },
  });
  return { tool, written };
}
const writes = (...texts: string[]) => [
  turnWith(...texts.map((text): [string, unknown] => ['note', { text }])),
  ...answers('done'),
];

/** The list that people see, once it holds `count` requests. */
async function pending(handle: RunHandle, count: number): Promise<readonly PendingApproval[]> {
  const found: PendingApproval[] = [];
  await waitUntil(async () => {
    found.length = 0;
    for await (const each of client().approvals({ runId: handle.runId })) found.push(each);
    return found.length >= count;
  });
  return found;
}

test('a write waits for a person; approved it runs once, and deciding twice gives the first answer', async () => {
  const { tool, written } = noteTool();
  const model = scriptedModel({ subagents: { s1: writes('a') } });
  const run = await start({ question: 'Q', subtasks: subtasks(1) }, { model, tools: [tool] });
  const handle = client().getHandle(run.runId);
  const [ask] = await pending(handle, 1);
  expect(ask).toMatchObject({ id: 'ap_1', subagentId: 's1', tool: 'note', input: '{"text":"a"}' });
  // The run says so itself once it has heard of the request.
  await waitUntil(async () => (await handle.describe()).status === 'awaiting-approval');
  expect((await handle.describe()).tree[0]!.status).toBe('awaiting-approval');
  expect(written).toEqual([]);
  const first = await handle.approve('ap_1', { requestId: 'q' });
  expect(first).toMatchObject({ decision: 'approved', by: 'me@here' });
  expect(await handle.approve('ap_1', { requestId: 'q' })).toEqual(first);
  await run.result();
  expect(written).toEqual(['a']);
  expect((await handle.describe()).approvals[0]!.outcome).toMatchObject({ decision: 'approved' });
});

test('denied, the call does not run, the model is told why, and the subagent goes on', async () => {
  const { tool, written } = noteTool();
  const model = scriptedModel({ subagents: { s1: writes('a') } });
  const run = await start({ question: 'Q', subtasks: subtasks(1) }, { model, tools: [tool] });
  const handle = client().getHandle(run.runId);
  await pending(handle, 1);
  await handle.deny('ap_1', { reason: 'not there' });
  const result = await run.result();
  expect(endsOf(result)).toEqual(['s1 done']);
  expect(written).toEqual([]);
  expect(resultsAt(model, 's1 turn 2')[0]).toMatchObject({ isError: true, text: toolErrorText.denied('not there') });
  expect(result.usage.toolCalls).toBe(0);
});

test('edited arguments run instead of the model’s, and the model is told; ones that the tool refuses do not', async () => {
  const { tool, written } = noteTool();
  const model = scriptedModel({ subagents: { s1: writes('a', 'b') } });
  const run = await start({ question: 'Q', subtasks: subtasks(1) }, { model, tools: [tool] });
  const handle = client().getHandle(run.runId);
  const asked = await pending(handle, 2);
  const idOf = (text: string) => asked.find(({ input }) => input === JSON.stringify({ text }))!.id;
  await handle.approve(idOf('a'), { args: { text: 'A' } });
  await handle.approve(idOf('b'), { args: { words: 'B' } });
  await run.result();
  expect(written).toEqual(['A']);
  const [edited, refused] = resultsAt(model, 's1 turn 2');
  expect(edited!.text).toContain('wrote A');
  expect(edited!.text).toContain('{"text":"A"}');
  expect(refused).toMatchObject({ isError: true });
});

test('remembered for the run, the same tool is not asked for again, and other requests for it are let through', async () => {
  const { tool, written } = noteTool();
  const model = scriptedModel({
    subagents: { s1: writes('a', 'b'), s2: [...writes('c').slice(0, 1), ...writes('d')] },
  });
  const run = await start({ question: 'Q', subtasks: subtasks(2) }, { model, tools: [tool] });
  const handle = client().getHandle(run.runId);
  await pending(handle, 3);
  await handle.approve('ap_2', { remember: 'run' });
  await run.result();
  expect([...written].sort()).toEqual(['a', 'b', 'c', 'd']);
});

test('a rule of the request lets calls through that it names, and others still ask', async () => {
  const { tool, written } = noteTool();
  const model = scriptedModel({ subagents: { s1: writes('a', 'b') } });
  const approvals = { allow: [{ tool: 'note', args: { text: 'a' } }] };
  const run = await start({ question: 'Q', subtasks: subtasks(1), approvals }, { model, tools: [tool] });
  const handle = client().getHandle(run.runId);
  const asked = await pending(handle, 1);
  expect(asked.map(({ input }) => input)).toEqual(['{"text":"b"}']);
  await handle.deny('ap_1');
  await run.result();
  expect(written).toEqual(['a']);
});

test('nobody decides: the request expires, which is told apart from a denial', async () => {
  const { tool, written } = noteTool();
  const model = scriptedModel({ subagents: { s1: writes('a') } });
  const run = await start({ question: 'Q', subtasks: subtasks(1), personTimeout: '1s' }, { model, tools: [tool] });
  const result = await run.result();
  expect(endsOf(result)).toEqual(['s1 done']);
  expect(written).toEqual([]);
  expect(resultsAt(model, 's1 turn 2')[0]!.text).toBe(toolErrorText.expired());
  const handle = client().getHandle(run.runId);
  expect((await handle.describe()).approvals[0]!.outcome).toMatchObject({ decision: 'expired' });
});

test('a run that asks nobody denies what no rule allows', async () => {
  const { tool, written } = noteTool();
  const model = scriptedModel({ subagents: { s1: writes('a') } });
  const approvals = { default: 'deny' as const };
  const run = await start({ question: 'Q', subtasks: subtasks(1), approvals }, { model, tools: [tool] });
  expect(endsOf(await run.result())).toEqual(['s1 done']);
  expect(written).toEqual([]);
  expect(resultsAt(model, 's1 turn 2')[0]!.text).toBe(toolErrorText.notAllowed('note'));
});

test('cancelled, what waits is withdrawn; a decision after it is a conflict, and one on an unknown id is not found', async () => {
  const { tool, written } = noteTool();
  const model = scriptedModel({ subagents: { s1: writes('a'), s2: writes('b') } });
  const run = await start({ question: 'Q', subtasks: subtasks(2) }, { model, tools: [tool] });
  const handle = client().getHandle(run.runId);
  const [first] = await pending(handle, 2);
  await expect(handle.approve('ap_7')).rejects.toMatchObject({ code: 'APPROVAL_NOT_FOUND' });
  await handle.cancelSubagent(first!.subagentId, { wait: true });
  // The run learns of a subagent's end a moment after it.
  await waitUntil(async () => {
    const kinds = (await run.history()).events!;
    const end = kinds.findIndex((event) => event.childWorkflowExecutionCanceledEventAttributes);
    return end >= 0 && kinds.slice(end).some((event) => event.workflowTaskCompletedEventAttributes);
  });
  await expect(handle.approve(first!.id)).rejects.toMatchObject({ code: 'ALREADY_DECIDED' });
  const described = await handle.describe();
  expect(described.approvals.find(({ id }) => id === first!.id)!.outcome).toMatchObject({ decision: 'withdrawn' });
  const other = described.approvals.find(({ outcome }) => !outcome)!;
  await handle.approve(other.id);
  await run.result();
  expect(written).toHaveLength(1);
});

test('finalized while it waits: the request is withdrawn, every call is answered, and the subagent hands back', async () => {
  const { tool, written } = noteTool();
  const subagent = { turns: writes('a'), handBack: { report: { summary: 'what I have' } } };
  const model = scriptedModel({ subagents: { s1: subagent } });
  const run = await start({ question: 'Q', subtasks: subtasks(1) }, { model, tools: [tool] });
  const handle = client().getHandle(run.runId);
  await pending(handle, 1);
  await handle.finalize();
  const result = await run.result();
  expect(endsOf(result)).toEqual(['s1 partial (operator)']);
  expect(written).toEqual([]);
  expect(resultsAt(model, 's1 turn 2')).toHaveLength(1);
});
