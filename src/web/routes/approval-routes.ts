/** Calls that wait for a person: what is open, and the decision. */
import { z } from 'zod';
import { TributaryError } from '../../contract/failure.ts';
import { runIdSchema } from '../../contract/ids.ts';
import { parseInput } from '../../contract/invalid-input.ts';
import type { PendingApproval } from '../../client/research-api.ts';
import { apiRoute, requestIdOf, runIdOf, type ApiRoute } from '../api-route.ts';
import { approvalIdSchema, decisionBodySchema } from '../request-body.ts';

const list = apiRoute({
  method: 'get',
  path: '/api/approvals',
  summary: 'List calls that wait for a person',
  query: z.strictObject({ runId: runIdSchema.optional() }),
  answer: { status: 200, what: 'Open requests for approval, of one run or of all' },
  async handle({ query, context }, kit) {
    const approvals: PendingApproval[] = [];
    for await (const each of kit.api(context).approvals({ ...query, signal: context.req.raw.signal }))
      approvals.push(each);
    return kit.json({ approvals });
  },
});

const decide = apiRoute({
  method: 'post',
  path: '/api/runs/{runId}/approvals/{approvalId}',
  summary: 'Decide on a call',
  body: decisionBodySchema,
  answer: { status: 200, what: 'The outcome' },
  async handle({ body, context }, kit) {
    const id = parseInput(approvalIdSchema, context.req.param('approvalId'), 'approval');
    const run = kit.api(context).getHandle(runIdOf(context));
    const { decision, ...given } = body;
    const options = { ...given, ...requestIdOf(context) };
    if (decision === 'approved') return kit.json(await run.approve(id, options));
    if (body.args !== undefined || body.remember !== undefined) {
      throw new TributaryError('INVALID_REQUEST', 'approval: args and remember go with decision "approved" alone');
    }
    return kit.json(await run.deny(id, options));
  },
});

export const approvalRoutes: readonly ApiRoute[] = [list, decide];
