import { expect, test } from '@jest/globals';
import { toolErrorText } from '../../src/domain/tool-error-text.ts';
import { Gate } from '../support/gate.ts';
import { endsOf, holdTurns, keyTool, resultsAt, scriptedModel, subtasks } from '../support/scripts.ts';
import { useWorld } from '../support/temporal.ts';

const { start } = useWorld('wall clock');

test('a subagent whose time is up, in a model call or in a tool batch, hands back what it has without tools', async () => {
  const gate = new Gate();
  const call = {
    calls: [
      { tool: 'look', arguments: { key: 'quick' } },
      { tool: 'look', arguments: { key: 'slow' } },
    ],
  };
  const handBack = { report: { summary: 'what I have' } };
  const model = scriptedModel(
    { subagents: { s1: { turns: [{ text: 'never said' }], handBack }, s2: { turns: [call], handBack } } },
    async (place, signal, { task }) => {
      if (task.kind === 'research' && !task.handBack) await holdTurns(gate, ['s1 turn 1'])(place, signal);
    },
  );
  const look = keyTool('look', async (key, { signal }) => {
    if (key === 'slow') await gate.pass(key, signal);
    return `seen ${key}`;
  });
  const request = { question: 'Q', subtasks: subtasks(2), subagentWallClock: '4s' };
  const run = await start(request, { model, tools: [look] });
  await gate.hold(2);
  const result = await run.result();
  expect(result.status).toBe('partial');
  expect(endsOf(result)).toEqual(['s1 partial (wall-clock)', 's2 partial (wall-clock)']);
  expect(resultsAt(model, 's2 turn 2').map(({ isError, text }) => `${isError} ${text}`)).toEqual([
    'false seen quick',
    `true ${toolErrorText.timeUp()}`,
  ]);
  const last = model.requests
    .filter(({ place }) => place.startsWith('s'))
    .map(({ request: { toolChoice } }) => toolChoice);
  expect(last.slice(-3)).toEqual(['none', 'none', 'none']); // two hand-backs and the synthesis
  // The call that was stopped is paid as an estimate.
  expect(result.subagents[0]!.usage.estimated).toBe(true);
});

test('when the time of the run is nearly up nothing new starts, and the report is written from what exists', async () => {
  const gate = new Gate();
  const handBack = { report: { summary: 'what I have' } };
  const model = scriptedModel(
    { subagents: { '*': { turns: [{ text: 'never said' }], handBack } } },
    async (place, signal, { task }) => {
      if (task.kind === 'research' && !task.handBack) await gate.pass(place, signal);
    },
  );
  const request = { question: 'Q', subtasks: subtasks(2), maxConcurrency: 1, budget: { wallClock: '6s' } };
  const result = await (await start(request, { model })).result();
  expect(endsOf(result)).toEqual(['s1 partial (wall-clock)', 's2 skipped (wall-clock)']);
  expect(result.status).toBe('partial');
  expect(result.document!.report).toContain('what I have');
});
