import { expect, test } from '@jest/globals';
import { openWorld } from './page-world.ts';

const world = openWorld();
const rows = '.rows [role=row]';

test('of 500 subagents only those in view are in the document, and the last one can be reached', async () => {
  const { page } = await world.open('/runs/run_01JQ7BIG500');
  await page.locator(rows).first().waitFor();
  expect(await page.locator(rows).count()).toBeLessThan(100);
  expect(Number(await page.getByRole('treegrid').getAttribute('aria-rowcount'))).toBe(403);
  await page.locator(`${rows}[tabindex="0"]`).focus();
  await page.keyboard.press('End');
  await page.getByRole('row', { name: /^100 finished subagents/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.keyboard.press('End');
  await page.getByRole('row', { name: /^s498 / }).waitFor();
  expect(await page.locator(rows).count()).toBeLessThan(100);
  await page.close();
});

test('a burst of events is drawn without being lost', async () => {
  const { page, complaints } = await world.open('/runs/run_01JQ7BIG500');
  await page.locator(rows).first().waitFor();
  await page.evaluate(() => {
    const { fixture } = window as unknown as { fixture: { emit(runId: string, event: object): void } };
    for (let number = 1; number <= 500; number += 1) {
      fixture.emit('run_01JQ7BIG500', {
        type: 'subagent-status',
        subagentId: `s${number}`,
        status: 'done',
        attempt: 1,
        at: new Date().toISOString(),
      });
    }
  });
  await page.getByText('500 subagents: 400 done, 50 failed, 50 cancelled').waitFor();
  expect(complaints).toEqual([]);
  await page.close();
});
