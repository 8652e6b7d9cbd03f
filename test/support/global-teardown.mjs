import { rm } from 'node:fs/promises';

export default async function tearDown() {
  await globalThis.tributaryTestLease.leave();
  await rm(process.env.TRIBUTARY_TEST_FOLDER, { recursive: true, force: true });
}
