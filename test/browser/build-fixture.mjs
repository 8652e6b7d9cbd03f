/** Before the tests: the page over the fixture runs, built once. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildFixture } from './browser.mjs';

export default async function buildOnce() {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-page-'));
  await buildFixture(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), folder);
  process.env.TRIBUTARY_FIXTURE_PAGE = folder;
}
