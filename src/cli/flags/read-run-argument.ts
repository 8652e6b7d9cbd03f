/** Reads the ids that commands take as arguments; what cannot be an id is a typing error, not an unknown run. */
import { TributaryError } from '../../contract/failure.ts';
import { describeIssues } from '../../contract/invalid-input.ts';
import { runIdSchema, subagentIdSchema } from '../../contract/ids.ts';
import { z } from 'zod';

const runSchema = z.object({ run: z.union([z.literal('@last'), runIdSchema]) });
const subagentSchema = z.object({ subagent: subagentIdSchema });

/** An id, the beginning of one, or `@last`. */
export function readRunArgument(run: string | undefined): string {
  const parsed = runSchema.safeParse({ run });
  if (parsed.success) return parsed.data.run;
  throw new TributaryError(
    'INVALID_REQUEST',
    `run: wanted a run id, the beginning of one, or "@last", came ${JSON.stringify(run)}`,
  );
}

export function readSubagentArgument(subagent: string): string {
  const parsed = subagentSchema.safeParse({ subagent });
  if (parsed.success) return parsed.data.subagent;
  throw new TributaryError('INVALID_REQUEST', describeIssues(parsed.error, { subagent }).join('\n'));
}
