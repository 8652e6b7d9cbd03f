import { expect, test } from '@jest/globals';
import { Gate } from '../support/gate.ts';
import { answers, endsOf, holdTurns, scriptedModel, subtasks } from '../support/scripts.ts';
import { useWorld } from '../support/temporal.ts';

const { start } = useWorld('junk signal');

test('B58 · a signal that is not of its shape is not heard, and holds nothing up', async () => {
  const gate = new Gate();
  const model = scriptedModel({ subagents: { '*': answers('found') } }, holdTurns(gate));
  const run = await start({ question: 'Q', subtasks: subtasks(1) }, { model });
  await gate.hold(1);
  for (const signal of ['subagentStopped', 'topUpAsked', 'approvalAsked', 'neverHeardOf']) {
    await run.handle.signal(signal);
    await run.handle.signal(signal, null);
    await run.handle.signal(signal, { id: 7, subagentId: '__proto__', wanted: 'all' });
  }
  gate.open();
  expect(endsOf(await run.result())).toEqual(['s1 done']);
});
