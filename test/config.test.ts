import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { loadConfig } from '../src/config.ts';

let folder: string;
let env: NodeJS.ProcessEnv;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-config-'));
  env = { TEMPORAL_CONFIG_FILE: join(folder, 'temporal.toml') };
});
afterEach(() => rm(folder, { recursive: true }));

const writeProfiles = (toml: string): Promise<void> => writeFile(join(folder, 'temporal.toml'), toml);

test('an empty environment means the embedded server, its usual folder and the default model', () => {
  expect(loadConfig(env)).toMatchObject({
    usesOwnCluster: false,
    cluster: null,
    namespace: null,
    dataDir: resolve('.tributary'),
    temporalCliPath: null,
    model: null,
    pricesFile: null,
    limits: { path: resolve('.tributary/limits.json'), isNamed: false },
    databaseUrl: null,
    models: {
      keys: { openai: null, anthropic: null, google: null, compatible: null },
      baseUrls: { openai: null, anthropic: null, google: null, compatible: null },
    },
    web: { search: null },
    ceiling: null,
  });
});

test('commands of runs: those of the command line on one machine, none on a cluster, unless it is said', () => {
  const cluster = { ...env, TEMPORAL_ADDRESS: '127.0.0.1:7233' };
  expect(loadConfig(env).allowCommands).toBe('known');
  expect(loadConfig({ ...env, TRIBUTARY_ALLOW_COMMANDS: '0' }).allowCommands).toBe('none');
  expect(loadConfig(cluster).allowCommands).toBe('none');
  expect(loadConfig({ ...cluster, TRIBUTARY_ALLOW_COMMANDS: '1' }).allowCommands).toBe('all');
  expect(() => loadConfig({ ...cluster, TRIBUTARY_ALLOW_COMMANDS: 'yes' })).toThrow(/TRIBUTARY_ALLOW_COMMANDS/);
});

describe('keys and addresses of models', () => {
  test('come from the vendors’ usual variables', () => {
    const { keys, baseUrls } = loadConfig({
      ...env,
      OPENAI_API_KEY: 'o',
      ANTHROPIC_API_KEY: 'a',
      GEMINI_API_KEY: 'g',
      TRIBUTARY_API_KEY: 't',
      TRIBUTARY_BASE_URL: 'http://127.0.0.1:11434/v1',
    }).models;
    expect(keys).toEqual({ openai: 'o', anthropic: 'a', google: 'g', compatible: 't' });
    expect(baseUrls.compatible).toBe('http://127.0.0.1:11434/v1');
  });

  test('that cannot be right are refused without showing a key', () => {
    const load = (): unknown => loadConfig({ ...env, OPENAI_API_KEY: 'sk secret', TRIBUTARY_BASE_URL: 'ftp://x' });
    expect(load).toThrow(/OPENAI_API_KEY: wanted a key of printable characters without spaces/);
    expect(load).toThrow(/TRIBUTARY_BASE_URL: wanted an http or https address/);
    expect(load).not.toThrow(/sk secret/);
    expect(() => loadConfig({ ...env, TRIBUTARY_SEARCH: 'brave' })).toThrow(
      /TRIBUTARY_SEARCH: "brave" needs BRAVE_API_KEY/,
    );
  });
});

test('the database of the limits is PostgreSQL, and an address that is refused is not shown', () => {
  const databaseUrl = 'postgresql://tributary:hidden@db:5432/tributary';
  expect(loadConfig({ ...env, TRIBUTARY_DATABASE_URL: databaseUrl, TRIBUTARY_LIMITS: 'limits.yaml' })).toMatchObject({
    databaseUrl,
    limits: { path: resolve('limits.yaml'), isNamed: true },
  });
  const load = (): unknown => loadConfig({ ...env, TRIBUTARY_DATABASE_URL: 'mysql://root:hidden@db/x' });
  expect(load).toThrow(/TRIBUTARY_DATABASE_URL: wanted an address such as postgresql:/);
  expect(load).not.toThrow(/hidden/);
});

test('of several search services the one that is named is used, else the first', () => {
  const both = { ...env, TAVILY_API_KEY: 't', SEARXNG_URL: 'http://127.0.0.1:8080' };
  expect(loadConfig(both).web.search).toMatchObject({ kind: 'tavily', key: 't' });
  expect(loadConfig({ ...both, TRIBUTARY_SEARCH: 'searxng' }).web.search).toEqual({
    kind: 'searxng',
    url: 'http://127.0.0.1:8080',
  });
});

test('every problem is listed at once, with its variable or flag', () => {
  const load = (): unknown =>
    loadConfig({ ...env, TRIBUTARY_MODEL: 'gpt' }, { address: 'localhost', profile: 'nobody' });
  expect(load).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }));
  expect(load).toThrow(/TRIBUTARY_MODEL: wanted .*, came "gpt"\n--address: wanted HOST:PORT, came "localhost"/);
  expect(() => loadConfig({ ...env, TEMPORAL_PROFILE: 'nobody' })).toThrow(
    /Temporal configuration: .*'nobody' not found/,
  );
  expect(() => loadConfig(env, { dataDir: '' })).toThrow(/^--data-dir: wanted a text that is not empty/);
});

test('a flag wins over its variable, and a variable set to nothing is not set', () => {
  expect(loadConfig({ ...env, TRIBUTARY_DATA_DIR: '/a' }, { dataDir: '/b' }).dataDir).toBe('/b');
  expect(loadConfig({ ...env, TRIBUTARY_DATA_DIR: '/a' }).dataDir).toBe('/a');
  const empty = {
    TRIBUTARY_DATA_DIR: '',
    TRIBUTARY_MODEL: '',
    TEMPORAL_ADDRESS: '',
    TEMPORAL_PROFILE: '',
    NO_COLOR: '',
  };
  expect(JSON.stringify(loadConfig({ ...env, ...empty }))).toBe(JSON.stringify(loadConfig(env)));
});

describe('a cluster of one’s own', () => {
  test('is named by TEMPORAL_ADDRESS, with the namespace “default” unless another is set', () => {
    const config = loadConfig({ ...env, TEMPORAL_ADDRESS: 'temporal:7233' });
    expect(config).toMatchObject({ usesOwnCluster: true, cluster: { namespace: 'default' } });
    expect(config.cluster?.connection.address).toBe('temporal:7233');
    const named = { ...env, TEMPORAL_ADDRESS: 'temporal:7233', TEMPORAL_NAMESPACE: 'research' };
    expect(loadConfig(named).cluster?.namespace).toBe('research');
    expect(loadConfig(named, { namespace: 'other', address: 'x:1' }).cluster).toMatchObject({
      connection: { address: 'x:1' },
      namespace: 'other',
    });
  });

  test('is named by the default profile when that has an address, and by a profile that is asked for', async () => {
    await writeProfiles(
      '[profile.default]\nnamespace = "only"\n[profile.work]\naddress = "work:7233"\nnamespace = "w"\n',
    );
    expect(loadConfig(env).usesOwnCluster).toBe(false);
    expect(loadConfig(env, { profile: 'work' }).cluster).toMatchObject({
      connection: { address: 'work:7233' },
      namespace: 'w',
    });
    expect(loadConfig({ ...env, TEMPORAL_PROFILE: 'work' }).usesOwnCluster).toBe(true);
    expect(loadConfig(env, { profile: 'default' }).cluster?.connection.address).toBe('localhost:7233');
    await writeProfiles('[profile.default]\naddress = "home:7233"\n');
    expect(loadConfig(env).cluster?.connection.address).toBe('home:7233');
  });

  test('is reached with TLS when there is an API key', () => {
    const { cluster } = loadConfig({ ...env, TEMPORAL_ADDRESS: 'cloud:7233', TEMPORAL_API_KEY: 'secret' });
    expect(cluster?.connection).toMatchObject({ apiKey: 'secret', tls: true });
  });

  test('is not named by a namespace or a key alone', () => {
    expect(loadConfig({ ...env, TEMPORAL_NAMESPACE: 'x', TEMPORAL_API_KEY: 'secret' }).usesOwnCluster).toBe(false);
  });
});

test('a proxy is used for the addresses that its variables name, and never for this machine', () => {
  const before = { ...process.env };
  Object.assign(process.env, {
    HTTPS_PROXY: 'http://proxy:3128',
    HTTP_PROXY: 'http://proxy:3128',
    NO_PROXY: 'inside.org',
  });
  try {
    const { proxyFor } = loadConfig(env).models;
    expect(proxyFor('https://api.openai.com/v1')).toBe('http://proxy:3128');
    expect(proxyFor('https://inside.org/')).toBeNull();
    for (const host of ['127.0.0.1:11434', 'localhost', '[::1]:80']) expect(proxyFor(`http://${host}/v1`)).toBeNull();
  } finally {
    process.env = before;
  }
});

test('a ceiling is read from its variables, and what is no number is refused by name', () => {
  const ceiling = { TRIBUTARY_CEILING_TOKENS: '50000', TRIBUTARY_CEILING_USD: '2.5', TRIBUTARY_CEILING_TIME: '10m' };
  expect(loadConfig({ ...env, ...ceiling }).ceiling).toEqual({ tokens: 50_000, usd: 2.5, wallClockMs: 600_000 });
  const bad = { TRIBUTARY_CEILING_TOKENS: '1e9', TRIBUTARY_CEILING_USD: 'lots', TRIBUTARY_CEILING_CALLS: '0' };
  expect(() => loadConfig({ ...env, ...bad })).toThrow(
    /TRIBUTARY_CEILING_TOKENS: .*\nTRIBUTARY_CEILING_USD: .*\nTRIBUTARY_CEILING_CALLS: /,
  );
});
