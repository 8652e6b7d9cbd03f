/** One Temporal server and one workflow bundle for all test files that ask for them. */
import { bundleWorkflowCode } from '@temporalio/worker';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import '../embedded/run-typescript.mjs';

const quiet = { trace() {}, debug() {}, info() {}, warn() {}, error: console.error, log() {} };

export default async function setUp(_, project) {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-test-'));
  const { joinServer } = await import('../../src/embedded/join-server.ts');
  const lease = await joinServer({ dataDir: join(folder, 'state') });
  const workflowsPath = join(project.rootDir, 'src', 'workflows', 'index.ts');
  // As scripts/build.mjs does it.
  const { code } = await bundleWorkflowCode({ workflowsPath, preloadModules: ['zod'], logger: quiet });
  await writeFile(join(folder, 'workflow-bundle.js'), code);
  process.env.TRIBUTARY_TEST_ADDRESS = lease.server.address;
  process.env.TRIBUTARY_TEST_FOLDER = folder;
  globalThis.tributaryTestLease = lease;
}
