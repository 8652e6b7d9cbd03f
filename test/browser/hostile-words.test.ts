import { expect, test } from '@jest/globals';
import { openWorld } from './page-world.ts';

const world = openWorld();

test.each([
  '/?fixture=hostile',
  '/approvals?fixture=hostile',
  '/new?fixture=hostile&question=%3Cimg%20src%3Dx%20onerror%3D%22window.hacked%3D1%22%3E',
  '/runs/run_hostile?fixture=hostile&sel=s1',
  '/runs/run_hostile?fixture=hostile&tab=report',
  '/runs/run_hostile?fixture=hostile&tab=sources',
  '/runs/run_hostile?fixture=hostile&tab=events',
])('%s shows hostile words as words', async (path) => {
  const { page, complaints, strangers } = await world.open(path);
  await page.getByText('<img src=x').first().waitFor({ state: 'attached' });
  const found = await page.evaluate(() => ({
    hacked: 'hacked' in window,
    elements: document.querySelectorAll('#page :is(img, script, iframe, object, embed), svg[onload]').length,
    addresses: [...document.querySelectorAll('#page a')]
      .map((link) => link.getAttribute('href') ?? '')
      .filter((href) => !/^(\/|#|https:\/\/example\.org|http:\/\/127\.0\.0\.1)/.test(href)),
  }));
  expect(found).toEqual({ hacked: false, elements: 0, addresses: [] });
  expect(complaints).toEqual([]);
  expect(strangers).toEqual([]);
  await page.close();
});

test('a report links to the web alone, and tells the site nothing', async () => {
  const { page } = await world.open('/runs/run_hostile?fixture=hostile&tab=report');
  const report = page.locator('.report');
  await report.waitFor();
  expect(await report.getByRole('link', { name: 'ok' }).getAttribute('rel')).toBe('noopener noreferrer nofollow');
  for (const name of ['rel', 'data']) expect(await report.getByRole('link', { name }).count()).toBe(0);
  await page.close();
});

test('a marker without a citation is struck through, one with it leads to its quote', async () => {
  const { page } = await world.open('/runs/run_hostile?fixture=hostile&tab=report');
  const report = page.locator('.report');
  await report.waitFor();
  expect(await report.locator('del').allTextContents()).toEqual(['[9]']);
  await report.getByRole('link', { name: /^Source 1, / }).click();
  expect(new URL(page.url()).hash).toBe('#source-1');
  await page.close();
});
