import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { collect, Installation } from '../support/built-cli.ts';
import type { ChildProcess } from 'node:child_process';
import type { Answer } from '../support/providers/provider-api.ts';
import { families, providerKey, startProvider, type Provider } from '../support/providers/start-provider.ts';
import { filesWith, historyText, toSettings } from './vendor.ts';

let installation: Installation;
beforeAll(async () => {
  installation = await Installation.create();
});
afterAll(() => installation.destroy());

const secret = 'SECRET';
const attempts = 3;

const answers: readonly (readonly [name: string, answer: Answer, requests: number])[] = [
  [
    'a 401 that quotes the key',
    { error: { status: 401, code: providerKey, message: `Incorrect API key provided: ${providerKey}` } },
    1,
  ],
  [
    'a 400 that echoes the key and the prompt',
    { error: { status: 400, code: 'invalid_request_error', message: `${providerKey}: Q of the private kind` } },
    1,
  ],
  [
    'a 500 that quotes the key',
    { error: { status: 500, message: `crashed with ${providerKey}`, headers: { 'retry-after-ms': '1' } } },
    attempts,
  ],
  ['a reset', { fault: 'reset' }, attempts],
];

describe.each(families)('%s', (family) => {
  let provider: Provider;
  let worker: ChildProcess;
  let answer: Answer;
  beforeAll(async () => {
    provider = await startProvider(family, () => answer);
    worker = await installation.startWorker(toSettings(family, provider).env);
  });
  afterAll(async () => {
    worker.kill('SIGTERM');
    await collect(worker);
    await provider.close();
  });

  test.each(answers)(
    '%s: the key is in no history, log, output or file, and the attempts are the requests',
    async (_, given, requests) => {
      answer = given;
      const before = provider.requests.length;
      const { env, flags } = toSettings(family, provider);
      const finished = await installation.run(
        ['run', 'Q of the private kind', ...flags, '--subtask', 'one', '--attempts', String(attempts), '--json', '-v'],
        env,
      );
      expect(finished.code).toBe(3);
      const result = JSON.parse(finished.stdout);
      expect(result).toMatchObject({ status: 'failed', subagents: [{ status: 'failed' }] });
      expect(provider.requests).toHaveLength(before + requests);
      expect(finished.stdout + finished.stderr).not.toContain(secret);
      const text = await historyText(installation, result.runId);
      expect(text.includes('private kind')).toBe(true); // the question is in a history, and it is read here
      expect(text.includes(secret)).toBe(false);
      expect(await filesWith(installation.folder, secret)).toEqual([]);
      // What a person needs is said all the same.
      expect(result.subagents[0].message).toMatch(/answered \d{3}|connection failed/);
      expect(result.subagents[0].message).not.toContain('private kind');
    },
    60_000,
  );
});
