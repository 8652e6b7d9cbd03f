import { afterAll, expect, test } from '@jest/globals';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { Worker } from '@temporalio/worker';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installTestRuntime } from '../support/temporal.ts';

installTestRuntime();
const folder = join(import.meta.dirname, 'histories');
const workflowBundle = { codePath: join(process.env.TRIBUTARY_TEST_FOLDER!, 'workflow-bundle.js') };
let replayed = 0;

test.each(readdirSync(folder).map((file) => file.replace('.json', '')))(
  'today’s code replays the committed histories of a run: %s',
  async (kind) => {
    const histories = JSON.parse(readFileSync(join(folder, `${kind}.json`), 'utf8')) as Record<string, unknown>;
    for (const [workflowId, json] of Object.entries(histories)) {
      await Worker.runReplayHistory({ workflowBundle }, historyFromJSON(json), workflowId);
      replayed += 1;
    }
  },
);

test('a history that today’s code does not follow is refused', async () => {
  const histories = JSON.parse(readFileSync(join(folder, 'completed.json'), 'utf8')) as Record<
    string,
    { events: Record<string, unknown>[] }
  >;
  const [workflowId, history] = Object.entries(histories).find(([id]) => id.endsWith('/s1'))!;
  const changed = JSON.stringify(history).replaceAll('callToolActivity', 'anotherActivity');
  await expect(
    Worker.runReplayHistory({ workflowBundle }, historyFromJSON(JSON.parse(changed)), workflowId),
  ).rejects.toThrow();
});

afterAll(() => expect(replayed).toBeGreaterThan(30));
