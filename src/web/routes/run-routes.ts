/** Runs: start, look for, look at, take away. */
import { z } from 'zod';
import { TributaryError } from '../../contract/failure.ts';
import { parseInput } from '../../contract/invalid-input.ts';
import { runIdSchema, subagentIdSchema } from '../../contract/ids.ts';
import { terminalRunStatuses } from '../../contract/result.ts';
import type { RunCount } from '../../contract/web.ts';
import { blockedStatuses, type RunDescription, type RunStatus, type RunSummary } from '../../contract/run-view.ts';
import type { RunFilter } from '../../client/research-api.ts';
import { apiRoute, requestIdOf, runIdOf, type ApiRoute, type RouteKit } from '../api-route.ts';
import { startBodySchema } from '../request-body.ts';
import { exportedPagePolicy } from '../security-headers.ts';
import { toStartInput } from '../to-run-input.ts';

const openStatuses = ['queued', 'planning', 'running', 'synthesizing', 'cancelling'] as const;
const statuses = [...openStatuses, ...blockedStatuses, ...terminalRunStatuses] as const satisfies readonly RunStatus[];
const maxListed = 1_000;
const wantedLimit = `wanted a whole number of at least 1 and at most ${maxListed}`;

const filterSchema = z.strictObject({
  /** Several with commas between them. */
  status: z
    .string()
    .transform((text) => text.split(',').filter(Boolean))
    .pipe(z.array(z.enum(statuses)))
    .optional(),
  text: z.string().max(1_000).optional(),
  startedAfter: z.string().max(100).optional(),
});
const listSchema = filterSchema.extend({
  limit: z
    .string()
    .refine((text) => /^[1-9]\d{0,3}$/.test(text) && Number(text) <= maxListed, wantedLimit)
    .transform(Number)
    .optional(),
});

const start = apiRoute({
  method: 'post',
  path: '/api/runs',
  summary: 'Start a run',
  body: startBodySchema,
  answer: { status: 201, what: 'The id of the run' },
  async handle({ body, context }, kit) {
    const input = toStartInput(body, kit.options);
    const { runId } = await kit.api(context).start(input, requestIdOf(context));
    return kit.json({ runId }, 201, { location: `/api/runs/${runId}` });
  },
});

const estimate = apiRoute({
  method: 'post',
  path: '/api/estimate',
  summary: 'Estimate what a run may use',
  body: startBodySchema,
  answer: { status: 200, what: 'Ranges of tokens, money, calls and time' },
  async handle({ body, context }, kit) {
    const { signal } = context.req.raw;
    return kit.json(await kit.api(context).estimate(toStartInput(body, kit.options), { signal }));
  },
});

const list = apiRoute({
  method: 'get',
  path: '/api/runs',
  summary: 'List runs, newest first',
  query: listSchema,
  answer: { status: 200, what: 'Summaries of runs' },
  async handle({ query, context }, kit) {
    return kit.json({ runs: await collect(kit.api(context).list(query satisfies RunFilter)) });
  },
});

const count = apiRoute({
  method: 'get',
  path: '/api/runs/count',
  summary: 'Count runs by status',
  query: filterSchema,
  answer: { status: 200, what: 'Of the newest 1,000 runs' },
  async handle({ query, context }, kit) {
    const runs = await collect(kit.api(context).list({ ...query, limit: maxListed }));
    const byStatus: Record<string, number> = {};
    for (const { status } of runs) byStatus[status] = (byStatus[status] ?? 0) + 1;
    return kit.json({ total: runs.length, byStatus } satisfies RunCount);
  },
});

const describe = apiRoute({
  method: 'get',
  path: '/api/runs/{runId}',
  summary: 'Describe a run; a unique beginning of its id will do, and @last',
  answer: { status: 200, what: 'The run with its tree, budget and approvals, and the cursor up to which that is' },
  async handle({ context }, kit) {
    const { signal } = context.req.raw;
    const typed = context.req.param('runId')!;
    if (typed !== '@last') parseInput(runIdSchema, typed, 'run');
    const handle = await kit.api(context).attach(typed, { signal });
    return kit.json(kit.veil.describe(await handle.describe({ signal })));
  },
});

const subagent = apiRoute({
  method: 'get',
  path: '/api/runs/{runId}/subagents/{subagentId}',
  summary: 'Describe a subagent of a run',
  answer: { status: 200, what: 'The subagent' },
  async handle({ context }, kit) {
    const id = parseInput(subagentIdSchema, context.req.param('subagentId'), 'subagent');
    const { tree, runId } = await kit
      .api(context)
      .getHandle(runIdOf(context))
      .describe({ signal: context.req.raw.signal });
    const found = tree.find((each) => each.id === id);
    if (found) return kit.json(found);
    throw new TributaryError('SUBAGENT_NOT_FOUND', `the run ${runId} has no subagent ${id}`);
  },
});

const types = {
  md: 'text/markdown; charset=utf-8',
  html: 'text/html; charset=utf-8',
  json: 'application/json; charset=utf-8',
  jsonl: 'application/x-ndjson; charset=utf-8',
} as const;

const reports = (['md', 'html', 'json', 'jsonl'] as const).map((format) =>
  apiRoute({
    method: 'get',
    path: `/api/runs/{runId}/report.${format}`,
    summary: `Take a run away as ${format}`,
    answer: { status: 200, what: 'The run as it ended, or as far as it is', type: types[format] },
    async handle({ context }, kit) {
      const runId = runIdOf(context);
      const text = await kit.api(context).getHandle(runId).export({ format, signal: context.req.raw.signal });
      return new Response(format === 'json' ? veilExport(text, kit) : kit.veil.hide(text), {
        headers: {
          'content-type': types[format],
          'content-disposition': `attachment; filename="${runId}.${format}"`,
          'content-security-policy': exportedPagePolicy,
          'cache-control': 'no-store',
        },
      });
    },
  }),
);

function veilExport(text: string, { veil }: RouteKit): string {
  const document = JSON.parse(text) as { readonly run: RunDescription | null };
  const shown = { ...document, run: document.run && veil.describe(document.run) };
  return `${veil.hide(JSON.stringify(shown, null, 2))}\n`;
}

async function collect(runs: AsyncIterable<RunSummary>): Promise<RunSummary[]> {
  const all: RunSummary[] = [];
  for await (const run of runs) all.push(run);
  return all;
}

export const runRoutes: readonly ApiRoute[] = [start, estimate, list, count, describe, subagent, ...reports];
