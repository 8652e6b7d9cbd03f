import { expect, test } from '@jest/globals';
import { eventsOf } from '../support/read-history.ts';
import { createClient, createReader, readTool, toInput } from '../support/client-world.ts';
import { useWorld } from '../support/temporal.ts';

const world = useWorld('temporal page', { model: createReader(), tools: [readTool] });

test('Temporal’s own page names the run, tells how far it is, and what each activity is for', async () => {
  const run = await createClient(world.world()).start(toInput({ title: 'The sky' }));
  await run.result();
  const handle = world.world().client.workflow.getHandle(run.runId);
  const described = await handle.describe();
  expect(await described.staticSummary()).toBe('The sky');
  expect(await described.staticDetails()).toContain('> Why is the sky blue?');
  const metadata = await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata');
  expect(metadata.currentDetails).toMatch(/^\*\*completed\*\* · subagents: 3 planned, 3 done · tokens: /);
  const summaries = eventsOf(await handle.fetchHistory()).flatMap(
    ({ activityTaskScheduledEventAttributes, userMetadata }) =>
      activityTaskScheduledEventAttributes && userMetadata?.summary?.data
        ? [JSON.parse(Buffer.from(userMetadata.summary.data).toString()) as string]
        : [],
  );
  expect(summaries).toEqual(['plan, attempt 1', 'the report']);
});
