import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { CancelledFailure } from '@temporalio/common';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postNotice } from '../../src/activities/post-notice.ts';
import { runCommand } from '../../src/activities/run-command.ts';
import type { NotifyStep, RunNotice } from '../../src/contract/run-notice.ts';
import { createProxiedFetch } from '../../src/tools/web/proxied-fetch.ts';
import { waitUntil } from '../support/gate.ts';
import { createWorld, openEnvironment, runOnce } from './activity-world.ts';

const notice: RunNotice = {
  type: 'run-needs-person',
  runId: 'run-1',
  title: null,
  ordinal: 1,
  at: '2026-11-30T12:00:00.000Z',
  status: 'awaiting-plan',
  need: { kind: 'plan' },
};

let folder: string;
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'tributary-notify-'))));
afterEach(() => rm(folder, { recursive: true }));

describe('a webhook', () => {
  type Answer = (response: ServerResponse, request: IncomingMessage) => void;
  let answer: Answer;
  let bodies: string[];
  let server: Server;
  let url: string;
  beforeEach(async () => {
    answer = (response) => response.writeHead(204).end();
    bodies = [];
    server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        bodies.push(`${request.method} ${request.url} ${request.headers['content-type']} ${body}`);
        answer(response, request);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/secret/path`;
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const fetch = createProxiedFetch(() => null);
  const notify = (allowCommands = false) => {
    const { activities } = createWorld({ notices: { mayRun: async () => allowCommands, fetch } });
    const step: NotifyStep = { onEvent: { kind: 'webhook', url }, notice };
    return runOnce(activities.notifyActivity, step);
  };
  const answering = (status: number, headers: Record<string, string> = {}) => {
    answer = (response) => response.writeHead(status, headers).end('secret body');
  };

  test('is sent the notice as JSON, also by a worker that runs no commands', async () => {
    await notify();
    expect(bodies).toEqual([`POST /secret/path application/json ${JSON.stringify(notice)}`]);
  });

  test.each([408, 429, 500, 503])('that answers %d is asked again', async (status) => {
    answering(status);
    await expect(notify()).rejects.toMatchObject({ type: 'NOTICE_FAILED', nonRetryable: false });
  });

  test.each([400, 401, 404, 410])('that answers %d is not asked again', async (status) => {
    answering(status);
    await expect(notify()).rejects.toMatchObject({ type: 'NOTICE_FAILED', nonRetryable: true });
  });

  test.each([301, 302, 307, 308])('that redirects (%d) is not followed', async (status) => {
    answering(status, { location: '/elsewhere' });
    await expect(notify()).rejects.toMatchObject({ message: expect.stringContaining('redirects are not followed') });
    expect(bodies).toHaveLength(1);
  });

  test('keeps the path of its address and its answer out of the failure', async () => {
    answering(500);
    const { message } = (await notify().catch((error: unknown) => error)) as Error;
    expect(message).toBe(`the webhook at ${new URL(url).origin} answered 500`);
  });

  test('that cannot be reached is asked again, and the failure says why', async () => {
    server.close();
    await expect(notify()).rejects.toMatchObject({
      nonRetryable: false,
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  test('that does not answer is left at the limit', async () => {
    answer = () => undefined;
    const options = { fetch, limitMs: 100, signal: new AbortController().signal };
    await expect(postNotice(url, notice, options)).rejects.toMatchObject({
      code: 'NOTICE_FAILED',
      message: expect.stringContaining('did not answer within'),
    });
  });

  test('is left when the activity is cancelled: its connection is closed', async () => {
    const closed = new Promise<void>((resolve) => {
      answer = (_, request) => void request.socket.once('close', () => resolve());
    });
    const environment = openEnvironment();
    const { activities } = createWorld({ notices: { mayRun: async () => false, fetch } });
    const step: NotifyStep = { onEvent: { kind: 'webhook', url }, notice };
    const running = environment.run(activities.notifyActivity, step);
    const ended = expect(running).rejects.toBeInstanceOf(CancelledFailure);
    await waitUntil(async () => bodies.length === 1);
    environment.cancel();
    await ended;
    await closed;
  });
});

/** A command that runs this JavaScript; `out` is the file that it writes. */
const node = (script: string): string[] => [process.execPath, '-e', script, join(folder, 'out')];
const written = async () => readFile(join(folder, 'out'), 'utf8').catch(() => '');
const write = `const write = (text) => require('fs').writeFileSync(process.argv[1], text);`;
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe('a command', () => {
  const notify = (command: string[], allowCommands = true) => {
    const { activities } = createWorld({ notices: { mayRun: async () => allowCommands, fetch } });
    return runOnce(activities.notifyActivity, { onEvent: { kind: 'command', command }, notice });
  };

  test('gets the notice on its stdin, and of the environment only what it needs', async () => {
    process.env.OPENAI_API_KEY = 'sk-secret';
    try {
      await notify(
        node(
          `${write} write(require('fs').readFileSync(0, 'utf8') + Object.keys(process.env).sort() + process.env.TRIBUTARY_STATUS)`,
        ),
      );
    } finally {
      delete process.env.OPENAI_API_KEY;
    }
    const [json, rest] = (await written()).split('\n') as [string, string];
    expect(JSON.parse(json)).toEqual(notice);
    expect(rest).toContain('TRIBUTARY_RUN_ID,TRIBUTARY_STATUS');
    expect(rest).toContain('awaiting-plan');
    expect(
      rest
        .replace('awaiting-plan', '')
        .split(',')
        .filter((name) => !/^(PATH|HOME|LANG|TRIBUTARY_.*|__CF.*)$/.test(name)),
    ).toEqual([]);
  });

  test('has no shell: its words are its arguments as they are', async () => {
    await notify([...node(`${write} write(JSON.stringify(process.argv.slice(2)))`), '$HOME', '; exit 1', '']);
    expect(JSON.parse(await written())).toEqual(['$HOME', '; exit 1', '']);
  });

  test('need not read its stdin', async () => {
    await notify(['true']);
  });

  test('that fails is not run again, and its first words on stderr say why', async () => {
    const script = `process.stderr.write('no such\\u0007\\nchannel ' + 'x'.repeat(100000)); process.exitCode = 3`;
    const failure = (await notify(node(script)).catch((error: unknown) => error)) as Error & { nonRetryable: boolean };
    expect(failure.nonRetryable).toBe(true);
    expect(failure.message).toMatch(/ended with exit code 3: no such channel x+…$/);
    expect(failure.message.length).toBeLessThan(400);
  });

  test('that is not there is not tried again', async () => {
    await expect(notify(['no-such-program-of-tributary'])).rejects.toMatchObject({
      type: 'NOTICE_FAILED',
      nonRetryable: true,
      message: 'the command no-such-program-of-tributary could not be started: ENOENT',
    });
  });

  test('is not run by a worker that does not allow it, and the failure says what does', async () => {
    const running = notify(node(`${write} write('ran')`), false);
    await expect(running).rejects.toMatchObject({
      type: 'NOTICE_FAILED',
      nonRetryable: true,
      message: expect.stringContaining('TRIBUTARY_ALLOW_COMMANDS=1'),
    });
    expect(await written()).toBe('');
  });

  // A child that ignores SIGTERM, beside a leader that dies of it.
  const family = () => [
    ...['sh', '-c', `(trap '' TERM; while :; do sleep 0.1; done) & echo "$$ $!" > "$0"; wait`],
    join(folder, 'out'),
  ];

  test('is killed with everything that it started when the activity is cancelled', async () => {
    const environment = openEnvironment();
    const { activities } = createWorld({ notices: { mayRun: async () => true, fetch } });
    const step: NotifyStep = { onEvent: { kind: 'command', command: family() }, notice };
    const running = expect(environment.run(activities.notifyActivity, step)).rejects.toBeInstanceOf(CancelledFailure);
    await waitUntil(async () => (await written()) !== '');
    environment.cancel();
    await running;
    const pids = (await written()).split(' ').map(Number);
    await waitUntil(async () => !pids.some(isAlive));
  });

  test('is killed with everything that it started at its limit', async () => {
    const signal = new AbortController().signal;
    const running = runCommand(family(), { input: '', env: { PATH: process.env.PATH! }, limitMs: 2_000, signal });
    await expect(running).rejects.toMatchObject({ message: expect.stringContaining('was stopped after 2 s') });
    const pids = (await written()).split(' ').map(Number);
    expect(pids).toHaveLength(2);
    await waitUntil(async () => !pids.some(isAlive));
  });

  test('that leaves a child behind has ended when it has ended itself', async () => {
    const script = `${write} const child = require('child_process').spawn(process.execPath, ['-e', 'setTimeout(() => {}, 20000)'], { stdio: 'inherit' }); write(String(child.pid)); process.exit(0);`;
    await notify(node(script));
    const pid = Number(await written());
    expect(isAlive(pid)).toBe(true);
    process.kill(pid, 'SIGKILL');
  });
});
