import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { collect, Installation, timeOf } from '../support/built-cli.ts';
import { moments, momentsOf, startDrillRun, wait } from './drill.ts';

let installation: Installation;
beforeAll(async () => {
  installation = await Installation.create();
});
afterAll(() => installation.destroy());

const work = ['planActivity', 'callModelActivity', 'callToolActivity', 'synthesizeActivity'];

test(
  'cancel at any moment: everything below stops before the run closes, and nothing is asked afterwards',
  async () => {
    const worker = await installation.startWorker();
    const report: string[] = [];
    for (const [index, ms] of momentsOf(7, moments, 5_000).entries()) {
      const run = await startDrillRun(installation, `cancel-${index}`, '1500ms');
      await wait(ms);
      const cancelled = await installation.run(['cancel', run.runId, '--wait', '-y', '--json']);
      expect({ code: cancelled.code, stderr: cancelled.stderr }).toMatchObject({ code: 0 });

      const histories = await installation.histories(run.runId);
      const client = await installation.client();
      const isRequest = (event: { workflowExecutionCancelRequestedEventAttributes?: unknown }) =>
        Boolean(event.workflowExecutionCancelRequestedEventAttributes);
      const requestedAt = timeOf(histories.get(run.runId)!.find(isRequest)!);
      const closedAt = new Map<string, number>();
      let scheduledAfter = 0;
      for (const [workflowId, events] of histories) {
        const asked = events.find(isRequest);
        for (const event of events) {
          const name = event.activityTaskScheduledEventAttributes?.activityType?.name ?? '';
          if (asked && work.includes(name) && Number(event.eventId) > Number(asked.eventId)) scheduledAfter += 1;
        }
        const { status, raw } = await client.workflow.getHandle(workflowId).describe();
        expect({ workflowId, running: status.name === 'RUNNING' }).toEqual({ workflowId, running: false });
        expect(raw.pendingActivities ?? []).toEqual([]);
        closedAt.set(workflowId, timeOf(events.at(-1)!));
      }
      expect(scheduledAfter).toBe(0);
      expect((await client.workflow.getHandle(run.runId).describe()).status.name).toBe('CANCELLED');
      const runClosedAt = closedAt.get(run.runId)!;
      for (const at of closedAt.values()) expect(at).toBeLessThanOrEqual(runClosedAt);
      expect((await run.requests()).filter(({ at, request }) => request && at > runClosedAt)).toEqual([]);

      const result = await installation.run(['result', run.runId, '--json']);
      expect({ code: result.code, status: JSON.parse(result.stdout).status }).toEqual({ code: 6, status: 'cancelled' });
      const children = [...closedAt].filter(([id]) => id !== run.runId).map(([, at]) => at);
      const last = Math.max(...children, 0);
      report.push(
        `cancelled at ${ms} ms: ${children.length} subagents, last one closed ${last ? last - requestedAt : '–'} ms after the request, run after ${runClosedAt - requestedAt} ms, ${scheduledAfter} scheduled after`,
      );
    }
    worker.kill('SIGTERM');
    await collect(worker);
    if (process.env.DRILL_MOMENTS) process.stderr.write(`${report.join('\n')}\n`);
  },
  40_000 * moments,
);
