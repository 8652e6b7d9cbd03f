/** Two workers at a limit of 600 requests a minute for two minutes, as a provider sees them. By hand: `RATE_DRILL=1`. */
import { expect, test } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Installation } from '../support/built-cli.ts';
import { findPostgres, startPostgres } from '../support/postgres.ts';
import { planRun, serveRun } from '../support/providers/serve-run.ts';
import { modelIds, startProvider } from '../support/providers/start-provider.ts';
import { toSettings, writeLongDocument } from './vendor.ts';

const rpm = 600;
const minutes = 2;
const drill = process.env.RATE_DRILL === '1' && findPostgres() !== null ? test : test.skip;

drill(
  'two workers reach the ceiling of a key and never pass it in any minute',
  async () => {
    const [installation, postgres] = await Promise.all([Installation.create(), startPostgres(findPostgres()!)]);
    const plan = planRun({
      subagents: 60,
      turns: 24,
      toolName: 'corpus_search',
      toolArguments: (_, place) => ({ query: `river ${place}`, limit: 1 }),
      callsPerTurn: 1,
    });
    const provider = await startProvider('openai', serveRun(plan));
    const settings = toSettings('openai', provider);
    const limits = join(installation.folder, 'limits.json');
    await writeFile(limits, JSON.stringify({ [`openai/${modelIds.openai}`]: { rpm, tpm: 500_000_000 } }));
    const env = { ...settings.env, TRIBUTARY_LIMITS: limits, TRIBUTARY_DATABASE_URL: postgres.url };
    await Promise.all([installation.startWorker(env), installation.startWorker(env)]);
    const corpus = await writeLongDocument(installation);
    const flags = [
      '--budget-tokens',
      '900000000',
      '--budget-calls',
      '9000',
      '--max-subagents',
      '60',
      '--max-turns',
      '30',
    ];
    const finished = await installation.run(
      [
        'run',
        'Where does the river go?',
        '--corpus',
        corpus,
        '--json',
        '--no-worker',
        '--concurrency',
        '60',
        ...flags,
        ...settings.flags,
      ],
      env,
    );
    expect({ code: finished.code, stderr: finished.stderr.slice(-2_000) }).toMatchObject({ code: 0 });
    // From the first subagent on: the plan is one call by itself.
    const times = provider.requests
      .map(({ at }) => at)
      .slice(1)
      .sort((a, b) => a - b);
    const inWindow = (from: number, ms: number) => times.filter((at) => at >= from && at < from + ms).length;
    const most = Math.max(...times.map((from) => inWindow(from, 60_000)));
    const reached = inWindow(times[0]!, minutes * 60_000) / (minutes * rpm);
    if (process.env.DRILL_NUMBERS === '1')
      process.stderr.write(
        `${times.length} requests; ${(reached * 100).toFixed(1)} % of ${rpm} a minute over ${minutes} minutes; at most ${most} in any minute\n`,
      );
    expect(most).toBeLessThanOrEqual(rpm);
    expect(reached).toBeGreaterThanOrEqual(0.95);
    await provider.close();
    await installation.destroy();
    await postgres.stop();
  },
  400_000,
);
