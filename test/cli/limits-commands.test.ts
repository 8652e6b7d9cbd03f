import { describe, expect, test } from '@jest/globals';
import type { RateLimit, RateLimits } from '../../src/contract/rate-limits.ts';
import { findLimitNameProblem } from '../../src/models/limits/limits-file.ts';
import { callCli, type CliOptions } from '../support/cli-harness.ts';

const server = { address: '127.0.0.1:7233', version: '1.32.0', pid: 1, alive: true, uiUrl: 'http://127.0.0.1:8233' };
const queue = 'tributary-model-openai-1a2b3c4d';

/** An installation with a key of openai, whose limits and whose server's limits are looked at. */
function createPlace(options: { limits?: RateLimits; isUp?: boolean; refuses?: boolean } = {}) {
  let limits = options.limits ?? {};
  const kept: Record<string, RateLimit> = {};
  const refuse = () => Promise.reject(new Error('unknown method'));
  const place: CliOptions = {
    installation: {
      readServer: async () => (options.isUp === false ? null : server),
      limits: {
        path: '/data/limits.json',
        read: async () => limits,
        write: async (values) => void (limits = values),
        findNameProblem: findLimitNameProblem,
        queueOf: (name) => (name.startsWith('openai') ? name.replace('openai', queue) : null),
      },
    },
    backend: {
      applyQueueLimit: options.refuses ? refuse : async (name, limit) => void (kept[name] = limit),
      readQueueLimit: options.refuses
        ? refuse
        : async (name) => ({ rpm: kept[name]?.rpm ?? null, tenantRpm: kept[name]?.tenantRpm ?? null }),
    },
  };
  return { place, kept, limits: () => limits };
}

describe('limits plan', () => {
  const argv = ['limits', 'plan', '--rpm', '600', '--calls-per-query', '8', '--latency', '400ms'];

  test('prints what is usable, what is kept back, the queries and the bound, each with how it follows', async () => {
    const { exitCode, stdout, counts } = await callCli(argv);
    expect(exitCode).toBe(0);
    expect(stdout.lines).toEqual([
      'usable     420 calls a minute  600 * 0.7',
      'kept back  180 calls a minute  600 - 420',
      'queries     52 a minute        420 / 8 calls, rounded down',
      'at once      4 calls           1.25 * 600 * 0.7 / 60 s * 0.4 s = 3.5, rounded up',
    ]);
    // It asks nobody.
    expect(counts.opened).toBe(0);
  });

  test('is one document with --json', async () => {
    const { stdout } = await callCli([...argv, '--headroom', '1', '--json']);
    expect(JSON.parse(stdout.text)).toEqual({
      ...{ type: 'limits-plan', rpm: 600, headroom: 1, latencyMs: 400, callsPerQuery: 8 },
      ...{ usableCallsPerMinute: 600, keptBackRpm: 0, queriesPerMinute: 75, maxConcurrency: 5 },
    });
  });

  test('10,000 requests a minute of 400 ms are 59 at once', async () => {
    const { stdout } = await callCli(['limits', 'plan', '--rpm', '10000', '--latency', '400ms', '--json']);
    expect(JSON.parse(stdout.text).maxConcurrency).toBe(59);
  });

  test.each([
    [['--rpm', '0'], '--rpm', '"0"'],
    [['--rpm', 'lots'], '--rpm', '"lots"'],
    [[], '--rpm', 'nothing'],
    [['--rpm', '600', '--headroom', '0'], '--headroom', '"0"'],
    [['--rpm', '600', '--headroom', '1.2'], '--headroom', '"1.2"'],
    [['--rpm', '600', '--headroom', '70%'], '--headroom', '"70%"'],
    [['--rpm', '600', '--latency', '400'], '--latency', '"400"'],
    [['--rpm', '600', '--calls-per-query', '0.5'], '--calls-per-query', '"0.5"'],
  ])('refuses %j in one line that names the flag and the value', async (flags, flag, value) => {
    const { exitCode, stdout, stderr } = await callCli(['limits', 'plan', ...flags]);
    expect(exitCode).toBe(2);
    expect(stdout.text).toBe('');
    expect(stderr.lines[0]).toContain(`error: ${flag}: wanted`);
    expect(stderr.lines[0]).toContain(`came ${value}`);
  });
});

describe('limits set', () => {
  test('writes the limit and has the server keep its requests a minute', async () => {
    const { place, kept, limits } = createPlace();
    const argv = ['limits', 'set', 'openai/gpt-5', '--rpm', '600', '--tpm', '200000'];
    const { exitCode, stdout, stderr } = await callCli(argv, place);
    expect(exitCode).toBe(0);
    expect(stdout.text).toBe('openai/gpt-5: 600 requests, 200,000 tokens a minute\n');
    expect(stderr.text).toContain(`the server keeps it for task queue ${queue}/gpt-5`);
    expect(limits()).toEqual({ 'openai/gpt-5': { rpm: 600, tpm: 200_000 } });
    expect(kept).toEqual({ [`${queue}/gpt-5`]: { rpm: 600, tpm: 200_000 } });
  });

  test('what is not named stays, none takes away, and an entry without a limit is gone', async () => {
    const { place, kept, limits } = createPlace({ limits: { openai: { rpm: 600 }, anthropic: { rpm: 5 } } });
    await callCli(['limits', 'set', 'openai', '--tenant-rpm', '60'], place);
    expect(limits()).toEqual({ openai: { rpm: 600, tenantRpm: 60 }, anthropic: { rpm: 5 } });
    await callCli(['limits', 'set', 'openai', '--rpm', 'none', '--tenant-rpm', 'none'], place);
    expect(limits()).toEqual({ anthropic: { rpm: 5 } });
    expect(kept).toEqual({ [queue]: {} });
  });

  test.each([
    [{ isUp: false }, 'openai', 'no server was told', 0],
    [{ refuses: true }, 'openai', 'the server does not keep it (unknown method)', 1],
    [{}, 'anthropic', 'no key of it is set here', 0],
  ])('%j: the limit of %s is written all the same, and it says: %s', async (options, name, said, opened) => {
    const { place, limits } = createPlace(options);
    const { exitCode, stderr, counts } = await callCli(['limits', 'set', name, '--rpm', '50'], place);
    expect(exitCode).toBe(0);
    expect(stderr.text).toContain(said);
    expect(limits()).toEqual({ [name]: { rpm: 50 } });
    expect(counts).toMatchObject({ opened, closed: opened });
  });

  test('is one document with --json, also where the flag stands before the command', async () => {
    const { place } = createPlace();
    const { stdout } = await callCli(['--json', 'limits', 'set', 'openai', '--rpm', '50'], place);
    expect(JSON.parse(stdout.text)).toEqual({
      ...{ type: 'limits-set', name: 'openai', rpm: 50, file: '/data/limits.json', taskQueue: queue },
      server: { kind: 'kept' },
    });
  });

  test.each([
    [['openai', '--rpm', '-1'], '--rpm: wanted a whole number of at least 1, or none, came "-1"'],
    [['openai', '--rpm=1.5'], '--rpm: wanted a whole number of at least 1, or none, came "1.5"'],
    [['openai', '--tpm', 'many'], '--tpm: wanted a whole number of at least 1, or none, came "many"'],
    [['openai', '--tenant-rpm', '0'], '--tenant-rpm: wanted a whole number of at least 1, or none, came "0"'],
    [['openai'], 'wanted --rpm, --tpm or --tenant-rpm, came none of them'],
    [['opnai', '--rpm', '5'], 'came "opnai"'],
    [['openai-chat/gpt-5', '--rpm', '5'], 'the limits of openai-chat/ models are those of openai'],
    [[], "missing required argument 'name'"],
    [['openai', 'gpt-5', '--rpm', '5'], 'too many arguments'],
  ])('%j is refused in one line and nothing is written', async (argv, problem) => {
    const { place, kept, limits } = createPlace();
    const { exitCode, stdout, stderr } = await callCli(['limits', 'set', ...argv], place);
    expect({ exitCode, stdout: stdout.text, kept, limits: limits() }).toEqual({
      ...{ exitCode: 2, stdout: '', kept: {}, limits: {} },
    });
    expect(stderr.lines[0]).toContain(problem);
  });
});

describe('limits show', () => {
  const limits = { openai: { rpm: 600, tenantRpm: 60 }, 'openai/o3': { tpm: 9_000 }, anthropic: { rpm: 50 } };

  test('each limit with the bound of a run and with what the server keeps', async () => {
    const { place, kept } = createPlace({ limits });
    kept[queue] = { rpm: 300 };
    const { exitCode, stdout } = await callCli(['limits', 'show'], place);
    expect(exitCode).toBe(0);
    expect(stdout.text).toContain(
      'openai     600 requests a minute; 60 requests a minute of a tenant; a run works with 9 subagents at once',
    );
    expect(stdout.text).toContain(
      `queue ${queue}: the server keeps 300 requests a minute; a worker that starts corrects it`,
    );
    expect(stdout.text).toContain('openai/o3  9,000 tokens a minute');
    expect(stdout.text).toContain('no key here');
  });

  test('starts no server, and says that none was asked', async () => {
    const { place } = createPlace({ limits, isUp: false });
    const { stdout, counts } = await callCli(['limits', 'show', '--json'], place);
    expect(counts.opened).toBe(0);
    expect(JSON.parse(stdout.text)).toMatchObject({ type: 'limits', file: '/data/limits.json' });
    expect(JSON.parse(stdout.text).limits[0]).toEqual({
      ...{ name: 'openai', rpm: 600, tenantRpm: 60, maxConcurrency: 9, taskQueue: queue },
      server: { kind: 'not-asked', why: 'no server up' },
    });
  });

  test('without limits the answer is empty and a hint says how to set one', async () => {
    const { exitCode, stdout, stderr } = await callCli(['limits', 'show'], createPlace().place);
    expect({ exitCode, stdout: stdout.text }).toEqual({ exitCode: 0, stdout: '' });
    expect(stderr.text).toContain('tributary limits set openai --rpm 600');
  });
});

test('limits alone names its commands', async () => {
  const { exitCode, stderr } = await callCli(['limits']);
  expect(exitCode).toBe(2);
  expect(stderr.text).toContain('wanted a command');
  const help = await callCli(['limits', '--help']);
  expect(help.exitCode).toBe(0);
  for (const name of ['set', 'show', 'plan']) expect(help.stdout.text).toContain(name);
});

describe('doctor', () => {
  const checkOf = async (place: CliOptions) => {
    const { stdout } = await callCli(['doctor', '--json'], place);
    return JSON.parse(stdout.text).checks.find(({ name }: { name: string }) => name === 'limits');
  };

  test('says of each limit whether the server keeps it', async () => {
    const { place, kept } = createPlace({ limits: { openai: { rpm: 600 } } });
    expect(await checkOf(place)).toMatchObject({
      state: 'warning',
      text: expect.stringContaining('keeps no requests'),
    });
    kept[queue] = { rpm: 600 };
    expect(await checkOf(place)).toMatchObject({ state: 'ok', text: 'openai: the server keeps it' });
  });

  test('warns of a server that has no such limits', async () => {
    const { place } = createPlace({ limits: { openai: { rpm: 600 } }, refuses: true });
    expect(await checkOf(place)).toMatchObject({
      state: 'warning',
      text: expect.stringContaining(
        'does not keep limits (unknown method); workers set them, and tenants have no share',
      ),
    });
  });
});
