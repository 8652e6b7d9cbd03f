import { expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { openWorld } from './page-world.ts';

const world = openWorld();
const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const routes = [
  '/',
  '/?fixture=none',
  '/?view=needs-me&q=permits',
  '/new',
  '/runs/run_01JQ7PLAN00/plan',
  '/runs/run_01JQ7M3K9D?sel=s6',
  '/runs/run_01JQ7M3K9D?tab=report',
  '/runs/run_01JQ7M3K9D?tab=sources',
  '/runs/run_01JQ7M3K9D?tab=events',
  '/runs/run_01JQ7CANCLG',
  '/runs/run_01JQ7PAUSED',
  '/runs/run_01JQ7BIG500',
  '/runs/run_01JQ6PARTL',
  '/runs/run_01JQ6PARTL?tab=report',
  '/runs/run_01JQ6PARTL?tab=sources',
  '/runs/run_01JQ6CANCEL',
  '/runs/no_such_run',
  '/approvals',
  '/nowhere',
];
const looks = (['light', 'dark'] as const).flatMap((colorScheme) =>
  [390, 1320].map((width) => ({ colorScheme, width })),
);

test.each(routes.flatMap((path) => looks.map((look) => ({ path, ...look }))))(
  '$path has no violation, $colorScheme at $width',
  async ({ path, colorScheme, width }) => {
    const { page, complaints, strangers } = await world.open(path, { colorScheme, viewport: { width, height: 860 } });
    await page.waitForFunction(() => !document.body.innerText.includes('Loading'));
    await page.evaluate(axe);
    const violations = await page.evaluate(async () => {
      const { axe: checker } = window as unknown as {
        axe: { run(): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }> };
      };
      const found = (await checker.run()).violations;
      return found.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)} ${nodes[0]?.failureSummary}`);
    });
    expect(violations).toEqual([]);
    expect(complaints).toEqual([]);
    expect(strangers).toEqual([]);
    await page.close();
  },
);

test.each(['/', '/new', '/runs/run_01JQ7M3K9D?sel=s6', '/runs/run_01JQ6PARTL?tab=report', '/approvals'])(
  '%s fits into 320 pixels: only named regions scroll sideways',
  async (path) => {
    const { page } = await world.open(path, { viewport: { width: 320, height: 800 } });
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(overflow).toBeLessThanOrEqual(0);
    await page.close();
  },
);
