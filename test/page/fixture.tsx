/** The page over runs in memory. Tests read what was asked for from `window.fixture`. */
import { mountPage } from '../../src/page/mount-page.tsx';
import { createFixtureClient, type Fixture } from './fixture-client.ts';
import { createFixtureRuns } from './fixture-runs.ts';

declare global {
  interface Window {
    fixture: Fixture;
  }
}

const query = new URLSearchParams(window.location.search);
const fixture = createFixtureClient(createFixtureRuns(Date.now(), query.get('fixture') ?? 'all'));
window.fixture = fixture;
mountPage(document.getElementById('page')!, fixture.client);
