/** Two workers that share the limit of one key in PostgreSQL. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { Installation } from '../support/built-cli.ts';
import { findPostgres, startPostgres, withoutPostgres, type Postgres } from '../support/postgres.ts';
import { planRun, serveRun } from '../support/providers/serve-run.ts';
import { modelIds, providerKey, startProvider } from '../support/providers/start-provider.ts';
import { toSettings, writeLongDocument } from './vendor.ts';

const bin = findPostgres();
const describeWithPostgres = bin === null ? describe.skip : describe;

describeWithPostgres(bin === null ? withoutPostgres : 'with PostgreSQL', () => {
  let installation: Installation;
  let postgres: Postgres;
  beforeAll(async () => {
    [installation, postgres] = await Promise.all([Installation.create(), startPostgres(bin!)]);
  });
  afterAll(async () => {
    await installation.destroy();
    await postgres.stop();
  });

  test('a run over both of them sends no faster than the limit, is never refused, and leaves no key behind', async () => {
    const rpm = 150;
    const plan = planRun({
      subagents: 6,
      turns: 3,
      toolName: 'corpus_search',
      toolArguments: (_, place) => ({ query: `river ${place}`, limit: 1 }),
      callsPerTurn: 1,
    });
    const provider = await startProvider('openai', serveRun(plan));
    const settings = toSettings('openai', provider);
    const limits = join(installation.folder, 'limits.yaml');
    await writeFile(limits, `openai/${modelIds.openai}: { rpm: ${rpm}, tpm: 50000000 }\n`);
    const env = { ...settings.env, TRIBUTARY_LIMITS: limits, TRIBUTARY_DATABASE_URL: postgres.url };
    await Promise.all([installation.startWorker(env), installation.startWorker(env)]);
    const corpus = await writeLongDocument(installation);
    const finished = await installation.run(
      [
        'run',
        'Where does the river go?',
        '--corpus',
        corpus,
        '--json',
        '--budget-tokens',
        '20000000',
        ...settings.flags,
      ],
      env,
    );
    expect({ code: finished.code, stderr: finished.stderr.slice(-2_000) }).toMatchObject({ code: 0 });
    expect(provider.requests).toHaveLength(1 + plan.goals.length * (plan.turns + 1) + 1);
    const times = provider.requests.map(({ at }) => at);
    const apartMs = 61_000 / rpm;
    for (const from of times) {
      for (const windowMs of [2_000, 5_000]) {
        const inWindow = times.filter((at) => at >= from && at <= from + windowMs).length;
        // A second of arriving out of step, as the limit allows for.
        expect(inWindow).toBeLessThanOrEqual((windowMs + 1_000) / apartMs + 1);
      }
    }

    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    const { rows } = await client.query<{ key: string }>('SELECT key FROM tributary_rate_buckets');
    await client.end();
    expect(rows.map(({ key }) => key)).toEqual([expect.stringMatching(/^openai [0-9a-f]{16} \S+$/)]);
    expect(JSON.stringify(rows)).not.toContain(providerKey);
    await provider.close();
  }, 120_000);

  test('a limits file that cannot be right ends the worker with its place in words', async () => {
    const limits = join(installation.folder, 'bad.yaml');
    await writeFile(limits, 'openai: { rpm: 0 }\n');
    const { code, stderr } = await installation.run(['worker'], { TRIBUTARY_LIMITS: limits });
    expect(code).toBe(2);
    expect(stderr).toMatch(/bad\.yaml: openai\.rpm: wanted a number of at least 1, came 0/);
  });
});
