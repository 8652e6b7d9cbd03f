/** A worker of the built product with one more tool: it appends a line to a file, and then takes its time to answer. */
import { NativeConnection, Worker } from '@temporalio/worker';
import { appendFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { createActivities } from '../../dist/activities/create-activities.js';
import { createModelOpener } from '../../dist/models/open-model.js';
import { createMemoryBuckets } from '../../dist/store/buckets/memory-buckets.js';
import { createFolderStore } from '../../dist/store/folder-store.js';
import { defineTool } from '../../dist/tools/tool.js';

const { address, namespace, dataDir, file, baseUrl } = JSON.parse(process.argv[2]);
const keys = { openai: null, anthropic: null, google: null, compatible: null };
const append = defineTool({
  name: 'append_line',
  description: 'Appends a line to the file.',
  effect: 'write',
  input: z.object({ line: z.string() }),
  async run({ line }, { signal }) {
    await appendFile(file, `${line}\n`);
    await wait(20_000, undefined, { signal });
    return { text: `appended ${line}` };
  },
});
const look = defineTool({
  name: 'look',
  description: 'Looks.',
  effect: 'read',
  input: z.object({ line: z.string() }),
  run: async ({ line }) => ({ text: `seen ${line}` }),
});
const connection = await NativeConnection.connect({ address });
const worker = await Worker.create({
  connection,
  namespace,
  taskQueue: 'tributary',
  workflowBundle: { codePath: fileURLToPath(new URL('../../dist/workflow-bundle.js', import.meta.url)) },
  activities: createActivities({
    store: createFolderStore(dataDir),
    openModel: createModelOpener({
      keys: { ...keys, ...JSON.parse(process.env.TEST_KEYS ?? '{}') },
      baseUrls: { ...keys, ...baseUrl },
      proxyFor: () => null,
    }),
    openToolbox: async () => ({ tools: [append, look], outline: () => [], notes: [] }),
    ratesOf: () => null,
    trafficOf: () => ({ taskQueue: null, limit: null }),
    priceUsage: () => null,
    buckets: createMemoryBuckets(),
    notices: { mayRun: async () => false, fetch },
    readStoppedUsage: () => Promise.reject(new Error('not needed here')),
    readEndedRun: () => Promise.reject(new Error('not needed here')),
  }),
  stickyQueueScheduleToStartTimeout: '3s',
});
const running = worker.run();
process.stderr.write('worker polls\n');
await running;
