/** Pictures of every screen over the fixture runs, in light and dark, for the documentation: `npm run screenshots`. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildFixture, chromiumOptions } from '../test/browser/browser.mjs';
import { servePage } from '../test/browser/serve-page.mjs';
import { chromium } from 'playwright-core';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const images = process.argv[2] ?? join(root, 'docs', 'images');
const only = process.argv[3];
const wide = { width: 1320, height: 860 };
const narrow = { width: 390, height: 844 };

const shots = [
  { name: 'runs', path: '/' },
  { name: 'new', path: '/new?question=Compare+EU+battery+recycling+capacity+2026+by+country&budget=5' },
  { name: 'plan', path: '/runs/run_01JQ7PLAN00/plan' },
  { name: 'run', path: '/runs/run_01JQ7M3K9D?sel=s6' },
  { name: 'cancelling', isExtra: true, path: '/runs/run_01JQ7CANCLG' },
  { name: 'report', path: '/runs/run_01JQ6PARTL?tab=report' },
  { name: 'sources', isExtra: true, path: '/runs/run_01JQ6PARTL?tab=sources' },
  { name: 'events', isExtra: true, path: '/runs/run_01JQ7M3K9D?tab=events' },
  { name: 'approvals', path: '/approvals' },
  { name: 'big', isExtra: true, path: '/runs/run_01JQ7BIG500' },
  {
    name: 'cancel-dialog',
    isExtra: true,
    path: '/runs/run_01JQ7M3K9D',
    act: (page) => page.getByRole('button', { name: 'Cancel run…' }).click(),
  },
  {
    name: 'approve-dialog',
    path: '/runs/run_01JQ7M3K9D',
    act: (page) => page.getByRole('button', { name: 'Review…' }).click(),
  },
  { name: 'run-narrow', path: '/runs/run_01JQ7M3K9D', size: narrow },
  { name: 'runs-narrow', isExtra: true, path: '/', size: narrow },
];

const folder = mkdtempSync(join(tmpdir(), 'tributary-page-'));
await buildFixture(root, folder);
const server = await servePage(folder);
const browser = await chromium.launch(chromiumOptions);
mkdirSync(images, { recursive: true });
for (const scheme of ['light', 'dark']) {
  for (const { name, path, act, size = wide, isExtra } of shots) {
    // Pictures for looking at; the documentation shows each screen once.
    if (only ? name !== only : isExtra && process.argv[2] === undefined) continue;
    const page = await browser.newPage({ viewport: size, colorScheme: scheme });
    await page.goto(server.url + path);
    await page.locator('h1').first().waitFor();
    await page.waitForFunction(() => !/Loading|being made/.test(document.body.innerText));
    if (act) await act(page);
    await page.waitForLoadState('networkidle');
    await page.screenshot({ path: join(images, `${name}-${scheme}.png`) });
    await page.close();
  }
}
await browser.close();
await server.close();
rmSync(folder, { recursive: true });
