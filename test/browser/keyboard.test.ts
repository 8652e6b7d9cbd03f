import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { openWorld } from './page-world.ts';

const world = openWorld();

/** Tabs until what has the focus says this, as somebody without a mouse would. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let step = 0; step < 80; step += 1) {
    await page.keyboard.press('Tab');
    const has = await page.evaluate((wanted) => document.activeElement?.textContent?.includes(wanted) === true, name);
    if (has) return;
  }
  throw new Error(`the tab key does not reach "${name}"`);
}

test('a run is started, watched and cancelled with the keyboard alone', async () => {
  const { page, calls } = await world.open('/');
  await page.keyboard.press('n');
  await page.getByRole('heading', { name: 'New research run' }).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.type('Who is permitted?');
  await page.keyboard.press('Control+Enter');
  await page.getByText('Plan to review').first().waitFor();
  await tabTo(page, 'Review plan');
  await page.keyboard.press('Enter');
  await tabTo(page, 'Approve and start');
  await page.keyboard.press('Enter');
  await page.getByRole('row', { name: /^s6 / }).waitFor();
  expect(await page.getByRole('row', { name: /^s\d/ }).count()).toBe(6);
  await page.keyboard.press('Shift+X');
  await page.getByRole('dialog').waitFor();
  const safe = await page.evaluate(() => document.activeElement?.textContent);
  expect(safe).toBe('Keep running');
  await tabTo(page, 'Cancel run');
  await page.keyboard.press('Enter');
  await page
    .getByText(/^Cancelling \(\d of 6 stopped\)$/)
    .first()
    .waitFor();
  await page.locator('.run-head').getByText('Cancelled', { exact: true }).waitFor();
  expect((await calls()).map(({ action }) => action)).toEqual(['start', 'approvePlan', 'cancel']);
  await page.close();
});

test('arrows move through the tree, fold it, and open the details', async () => {
  const { page } = await world.open('/runs/run_01JQ7M3K9D');
  await page.locator('.rows [role=row][tabindex="0"]').focus();
  const focused = () => page.evaluate(() => document.activeElement?.querySelector('[role=rowheader]')?.textContent);
  for (const key of ['ArrowDown', 'ArrowDown']) await page.keyboard.press(key);
  expect(await focused()).toBe('s2 Operators');
  await page.keyboard.press('ArrowRight');
  expect(await focused()).toBe('s2.1 Operator filings');
  await page.keyboard.press('ArrowLeft');
  expect(await focused()).toBe('s2 Operators');
  await page.keyboard.press('ArrowLeft');
  expect(await page.getByRole('row', { name: /^s2\.1 / }).count()).toBe(0);
  await page.keyboard.press('End');
  expect(await focused()).toBe('s10 Announced plants');
  await page.keyboard.press('Enter');
  await page.getByRole('complementary', { name: 'Details of s10' }).waitFor();
  expect(page.url()).toContain('sel=s10');
  await page.close();
});

test('Escape closes a dialog and gives the focus back to what opened it', async () => {
  const { page } = await world.open('/runs/run_01JQ7M3K9D');
  await page.getByRole('button', { name: 'Raise budget…' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Raise budget…');
  await page.close();
});

test('single keys do nothing in a field, and nothing at all once they are switched off', async () => {
  const { page } = await world.open('/');
  await page.getByRole('searchbox').focus();
  await page.keyboard.type('n');
  expect(new URL(page.url()).pathname).toBe('/');
  await page.getByRole('button', { name: 'Shortcuts' }).click();
  await page.getByRole('checkbox', { name: 'Single keys do something' }).uncheck();
  await page.getByRole('button', { name: 'Close' }).click();
  await page.keyboard.press('n');
  expect(new URL(page.url()).pathname).toBe('/');
  await page.close();
});
