import { expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { spawnSync } from 'node:child_process';
import { hostname } from 'node:os';
import { ResearchClient } from '../../src/client/research-client.ts';
import type { RunEvent } from '../../src/contract/run-view.ts';
import { createClient, createReader, readTool } from '../support/client-world.ts';
import { openCuttableProxy } from '../support/cuttable-proxy.ts';
import { Gate } from '../support/gate.ts';
import { useWorld } from '../support/temporal.ts';

const world = useWorld('client server away', { tools: [readTool] });

test('a watch outlives its connection and loses nothing', async () => {
  const proxy = await openCuttableProxy(process.env.TRIBUTARY_TEST_ADDRESS!);
  const connection = await Connection.connect({ address: proxy.address });
  try {
    const gate = new Gate();
    const run = await world.start(
      { question: 'Why?', corpus: '/docs' },
      { model: createReader({ gate }), tools: [readTool] },
    );
    const client = new Client({ connection, namespace: world.world().client.options.namespace });
    const handle = new ResearchClient({ client }).getHandle(run.runId);
    await gate.hold(3);
    const seen: RunEvent[] = [];
    for await (const event of handle.watch()) {
      seen.push(event);
      if (event.type !== 'snapshot') continue;
      await proxy.cut();
      gate.open();
      await run.result();
      await proxy.mend();
    }
    const finished = seen.filter((event) => event.type === 'tool-call-finished');
    expect(finished.map((event) => event.subagentId).sort()).toEqual(['s1', 's2', 's3']);
    expect(seen.at(-1)).toMatchObject({ type: 'result', status: 'completed' });
  } finally {
    await connection.close();
    await proxy.close();
  }
});

test('a server that is not there is SERVER_UNREACHABLE, with its address', async () => {
  const connection = Connection.lazy({ address: '127.0.0.1:9', interceptors: [] });
  try {
    const client = new ResearchClient({ client: new Client({ connection }) });
    const expected = { code: 'SERVER_UNREACHABLE', message: expect.stringContaining('127.0.0.1:9') };
    await expect(client.hasWorker()).rejects.toMatchObject(expected);
    await expect(client.start({ question: 'Why?' })).rejects.toMatchObject(expected);
    await expect(client.getHandle('run_1').describe()).rejects.toMatchObject(expected);
  } finally {
    await connection.close();
  }
});

/** Polls as a worker of that identity would, until the server lists it and `body` has looked. */
async function whilePolling(identity: string, taskQueue: string, body: () => Promise<void>): Promise<void> {
  const { client } = world.world();
  const { namespace } = client.options;
  const controller = new AbortController();
  const polling = client
    .withDeadline(Date.now() + 30_000, () =>
      client.withAbortSignal(controller.signal, () =>
        client.workflowService.pollWorkflowTaskQueue({ namespace, taskQueue: { name: taskQueue }, identity }),
      ),
    )
    .catch(() => undefined); // aborted: there is no task
  try {
    for (;;) {
      const { pollers } = await client.workflowService.describeTaskQueue({
        namespace,
        taskQueue: { name: taskQueue },
        taskQueueType: 1,
      });
      if (pollers?.some((poller) => poller.identity === identity)) break;
    }
    await body();
  } finally {
    controller.abort();
    await polling;
  }
}

test('a worker of this machine whose process is gone does not count', async () => {
  const gone = spawnSync(process.execPath, ['-e', '']).pid;
  const sees = (taskQueue: string) => createClient(world.world(), { taskQueue }).hasWorker();
  await whilePolling(`${gone}@${hostname()}`, 'gone', async () => expect(await sees('gone')).toBe(false));
  await whilePolling(`${process.pid}@${hostname()}`, 'alive', async () => expect(await sees('alive')).toBe(true));
  await whilePolling('a-pod-of-a-cluster', 'elsewhere', async () => expect(await sees('elsewhere')).toBe(true));
});
