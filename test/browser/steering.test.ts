import { expect, test } from '@jest/globals';
import { openWorld } from './page-world.ts';

const world = openWorld();

test('a call is approved with other arguments, and its subagent goes on', async () => {
  const { page, calls } = await world.open('/runs/run_01JQ7M3K9D');
  await page.getByRole('button', { name: 'Review…' }).click();
  await page.getByRole('button', { name: 'Edit arguments' }).click();
  await page.getByLabel('Arguments, JSON').fill('{"title": "Permits of 2026"}');
  await page.getByRole('button', { name: 'Approve as edited' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await page.getByRole('button', { name: 'Review…' }).count()).toBe(0);
  const [call] = await calls();
  expect(call).toMatchObject({ action: 'approved', input: { id: 'ap_1', args: { title: 'Permits of 2026' } } });
  await page.close();
});

test('what is no JSON object is not sent as arguments', async () => {
  const { page, calls } = await world.open('/runs/run_01JQ7M3K9D');
  await page.getByRole('button', { name: 'Review…' }).click();
  await page.getByRole('button', { name: 'Edit arguments' }).click();
  await page.getByLabel('Arguments, JSON').fill('[1]');
  await page.getByRole('button', { name: 'Approve as edited' }).click();
  await page.getByText('wanted a JSON object').waitFor();
  expect(await calls()).toEqual([]);
  await page.close();
});

test('a call that somebody else has decided on says so in place', async () => {
  const { page } = await world.open('/runs/run_01JQ7M3K9D');
  await page.getByRole('button', { name: 'Deny…' }).click();
  await page.evaluate(() => {
    const { fixture } = window as unknown as {
      fixture: { client: { getHandle(id: string): { approve(id: string): Promise<unknown> } } };
    };
    return fixture.client.getHandle('run_01JQ7M3K9D').approve('ap_1');
  });
  await page.getByRole('button', { name: 'Deny', exact: true }).click();
  await page.getByText('ap_1 was approved by ada already').waitFor();
  await page.close();
});

test('one subagent is cancelled, and the others go on', async () => {
  const { page, calls } = await world.open('/runs/run_01JQ7M3K9D?sel=s7');
  await page.getByRole('button', { name: 'Cancel subagent…' }).click();
  await page.getByRole('button', { name: 'Cancel subagent', exact: true }).click();
  await page.getByRole('row', { name: /^s7 / }).getByText('Cancelled by an operator').waitFor();
  expect(await page.getByRole('row', { name: /^s8 / }).textContent()).toContain('Retry 2/3');
  expect((await calls())[0]).toMatchObject({ action: 'cancelSubagent', input: { subagentId: 's7' } });
  await page.close();
});

test('a paused budget is raised, and what waited goes on', async () => {
  const { page, calls } = await world.open('/runs/run_01JQ7PAUSED');
  await page.getByRole('region', { name: 'Paused on budget' }).getByRole('button', { name: 'Raise budget…' }).click();
  await page.getByLabel('Add: Tokens').fill('lots');
  await page.getByRole('button', { name: 'Add and resume' }).click();
  await page.getByText(/tokens: wanted a number/).waitFor();
  expect(await calls()).toEqual([]);
  await page.getByLabel('Add: Tokens').fill('200k');
  await page.getByRole('button', { name: 'Add and resume' }).click();
  await page.getByRole('region', { name: 'Paused on budget' }).waitFor({ state: 'detached' });
  expect((await calls())[0]).toMatchObject({ action: 'addBudget', input: { add: { tokens: 200_000 } } });
  await page.getByRole('meter', { name: 'Tokens' }).and(page.locator('[aria-valuemax="1200000"]')).waitFor();
  await page.close();
});

test('to terminate is offered only when a cancel has not landed in its time', async () => {
  const late = await world.open('/runs/run_01JQ7CANCLG');
  expect(await late.page.getByText('Cancelling (8 of 10 stopped)').count()).toBeGreaterThan(0);
  await late.page.getByRole('button', { name: 'Terminate…' }).waitFor();
  await late.page.close();
  const { page } = await world.open('/runs/run_01JQ7M3K9D');
  expect(await page.getByRole('button', { name: 'Terminate…' }).count()).toBe(0);
  await page.close();
});

test('a retry opens the new run, which says what it reused', async () => {
  const { page, calls } = await world.open('/runs/run_01JQ6PARTL');
  await page.getByRole('button', { name: 'Retry…' }).click();
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByText('Retry of run_01JQ6PARTL: 2 reused, 2 done again').waitFor();
  expect((await calls())[0]).toMatchObject({ action: 'retry', input: { reuse: 'finished' } });
  await page.close();
});

test('a subagent is done again with another goal', async () => {
  const { page, calls } = await world.open('/runs/run_01JQ6PARTL?sel=s4');
  await page.getByRole('button', { name: 'Rerun from here…' }).click();
  await page.getByLabel('Goal of s4').fill('Policy since 2025');
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByText(/^Rerun from/).waitFor();
  expect((await calls())[0]).toMatchObject({
    action: 'rerun',
    input: { from: 's4', edit: { goal: 'Policy since 2025' } },
  });
  await page.close();
});

test('a plan is approved as it was changed', async () => {
  const { page, calls } = await world.open('/runs/run_01JQ7PLAN00/plan');
  await page.getByLabel('Goal of subtask 2').fill('Operators alone');
  await page.getByRole('button', { name: 'Take out subtask 4' }).click();
  await page.getByRole('button', { name: 'Approve with 2 changes and start' }).click();
  await page.getByRole('tab', { name: 'Tree & timeline' }).waitFor();
  const edits = [
    { op: 'edit', id: 's2', goal: 'Operators alone' },
    { op: 'remove', id: 's4' },
  ];
  expect((await calls())[0]).toMatchObject({ action: 'approvePlan', input: { edits } });
  await page.close();
});

test('a form with mistakes starts nothing and leads to them; a double click starts one run', async () => {
  const { page, calls } = await world.open('/new');
  await page.getByLabel('Cost cap, USD').fill('-5');
  await page.getByRole('button', { name: 'Start research' }).click();
  await page.getByRole('alert').getByText('This cannot be started yet').waitFor();
  expect(await calls()).toEqual([]);
  await page.getByRole('alert').getByRole('link', { name: 'Cost cap, USD' }).click();
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('field-usd');
  await page.getByLabel('Cost cap, USD').fill('5');
  await page.getByLabel('Question').fill('Who?');
  await page.getByRole('button', { name: 'Start research' }).dblclick();
  await page.getByRole('heading', { name: 'Who?' }).waitFor();
  const starts = (await calls()).filter(({ action }) => action === 'start');
  expect(starts).toHaveLength(1);
  expect(starts[0]).toMatchObject({ input: { input: { question: 'Who?', budget: { usd: 5 }, plan: 'review' } } });
  await page.close();
});
