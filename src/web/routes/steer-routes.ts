/** What people do to a run: approve its plan, give it more, stop it, do it again. */
import type { z } from 'zod';
import { parseInput } from '../../contract/invalid-input.ts';
import { subagentIdSchema } from '../../contract/ids.ts';
import type { RunHandle, SteerOptions } from '../../client/research-api.ts';
import { apiRoute, requestIdOf, runIdOf, type ApiRoute, type RouteKit, type WebContext } from '../api-route.ts';
import {
  approvePlanBodySchema,
  budgetBodySchema,
  cancelBodySchema,
  finalizeBodySchema,
  rerunBodySchema,
  retryBodySchema,
  retrySubagentBodySchema,
  revisePlanBodySchema,
  terminateBodySchema,
} from '../request-body.ts';
import { toChangedInput } from '../to-run-input.ts';

/** What waits for a cancel that does not land waits this long at most. */
const maxWaitMs = 10 * 60_000;

type Call<Body> = {
  readonly run: RunHandle;
  readonly body: Body;
  readonly options: SteerOptions;
  readonly context: WebContext;
  readonly kit: RouteKit;
};

/** A POST to one run. What `act` yields is the answer; nothing is 204. */
function steerRoute<Body>(
  path: string,
  summary: string,
  body: z.ZodType<Body>,
  what: string | null,
  act: (call: Call<Body>) => Promise<unknown>,
): ApiRoute {
  return apiRoute({
    method: 'post',
    path: `/api/runs/{runId}/${path}`,
    summary,
    body,
    answer: what === null ? { status: 204, what: 'Done' } : { status: 200, what },
    async handle({ body, context }, kit) {
      const run = kit.api(context).getHandle(runIdOf(context));
      // Whoever leaves has asked all the same: the request goes on.
      const answer = await act({ run, body, options: requestIdOf(context), context, kit });
      return what === null ? new Response(null, { status: 204 }) : kit.json(answer);
    },
  });
}

const subagentIdOf = (context: WebContext) => parseInput(subagentIdSchema, context.req.param('subagentId'), 'subagent');

const toCancelOptions = (body: z.infer<typeof cancelBodySchema>, { req }: WebContext) => ({
  ...body,
  ...(body.wait && { timeoutMs: Math.min(body.timeoutMs ?? maxWaitMs, maxWaitMs), signal: req.raw.signal }),
});

export const steerRoutes: readonly ApiRoute[] = [
  steerRoute('plan/approve', 'Approve a plan', approvePlanBodySchema, null, ({ run, body, options }) =>
    run.approvePlan({ ...body, ...options }),
  ),
  steerRoute('plan/revise', 'Have the plan written anew', revisePlanBodySchema, null, ({ run, body, options }) =>
    run.revisePlan(body.feedback, options),
  ),
  steerRoute('finalize', 'Stop and write the report', finalizeBodySchema, null, ({ run, body, options }) =>
    run.finalize({ ...body, ...options }),
  ),
  steerRoute('cancel', 'Cancel a run', cancelBodySchema, 'What was reached', ({ run, body, context }) =>
    run.cancel(toCancelOptions(body, context)),
  ),
  steerRoute('terminate', 'Terminate a run', terminateBodySchema, 'What was open', ({ run, body }) =>
    run.terminate(body.reason),
  ),
  steerRoute('budget', 'Add to the budget', budgetBodySchema, 'The meters after it', ({ run, body, options }) => {
    const { add, ...rest } = body;
    return run.addBudget(add, { ...rest, ...options });
  }),
  steerRoute(
    'subagents/{subagentId}/cancel',
    'Cancel a subagent',
    cancelBodySchema,
    'What was reached',
    ({ run, body, context }) => run.cancelSubagent(subagentIdOf(context), toCancelOptions(body, context)),
  ),
  steerRoute(
    'subagents/{subagentId}/retry',
    'Start a subagent again',
    retrySubagentBodySchema,
    null,
    ({ run, body, options, context }) => run.retrySubagent(subagentIdOf(context), { ...body, ...options }),
  ),
  steerRoute('retry', 'Retry a run', retryBodySchema, 'The id of the new run', async ({ run, body, options, kit }) => {
    const { input, ...rest } = body;
    const changed = input && { input: toChangedInput(input, kit.options) };
    const { runId } = await run.retry({ ...rest, ...changed, ...options });
    return { runId };
  }),
  steerRoute('rerun', 'Rerun a run from a point', rerunBodySchema, 'The id of the new run', async (call) => {
    const { run, body, options, kit } = call;
    const { input, edit, ...rest } = body;
    const changed = input && { input: toChangedInput(input, kit.options) };
    if (edit?.model !== undefined) toChangedInput({ models: { subagent: edit.model } }, kit.options);
    const { runId } = await run.rerun({ ...rest, ...(edit && { edit }), ...changed, ...options });
    return { runId };
  }),
];
