/** `approvals`: calls that wait for a person; `approve` and `deny` decide on one. */
import type { Command } from 'commander';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { approvalIdSchema } from '../../../contract/control.ts';
import { TributaryError } from '../../../contract/failure.ts';
import { parseInput } from '../../../contract/invalid-input.ts';
import { requireBackend, withBackend } from '../../command-context.ts';
import type { FlagTable } from '../../flags/flag-table.ts';
import { textFlag, wordFlag } from '../../flags/flag-values.ts';
import { readRunArgument } from '../../flags/read-run-argument.ts';
import { readCommandFlags, type Launch } from '../../launch.ts';
import { renderApprovals } from '../../view/render-approvals.ts';
import { runArgumentHelp, steerFlags, withSteeredRun } from './with-steered-run.ts';

const reasonFlag = { usage: '--reason <text>', help: 'why; a subagent reads it', schema: textFlag, group: 'Change:' };
const approveFlags = {
  '--args': {
    usage: '--args <json|@file>',
    help: 'other arguments instead of the model’s: JSON, or @ and a file with it',
    schema: textFlag,
    group: 'Change:',
  },
  '--remember': {
    usage: '--remember <run|never>',
    help: 'run: do not ask again for this tool in this run',
    schema: wordFlag(['run', 'never']),
    group: 'Change:',
  },
  '--reason': reasonFlag,
  ...steerFlags,
} as const satisfies FlagTable;
const denyFlags = { '--reason': reasonFlag, ...steerFlags } as const satisfies FlagTable;
const approvalArgumentHelp = 'id of the request, such as ap_1';

export function defineApprovalsCommand(program: Command, launch: Launch): void {
  const list = program
    .command('approvals')
    .argument('[run]', 'only of this run')
    .description('calls that wait for a person');
  launch(list, {}, async (context) => {
    readCommandFlags(context, {});
    const { output, interrupts, toCommand } = context;
    const prefix = context.args[0] === undefined ? null : readRunArgument(context.args[0]);
    return withBackend(context, { existingOnly: true }, async (maybe, installation) => {
      if (!maybe && prefix === null) {
        if (output.format === 'text') output.note('nothing waits for you: no run was ever started here');
        else if (output.format === 'json') output.document([]);
        return 0;
      }
      const { api } = requireBackend(context, maybe, installation);
      const call = { signal: interrupts.signal };
      const runId = prefix === null ? undefined : (await api.attach(prefix, call)).runId;
      const approvals = [];
      for await (const each of api.approvals({ ...call, ...(runId !== undefined && { runId }) })) approvals.push(each);
      if (output.format === 'json') output.document(approvals);
      else if (output.format === 'jsonl') for (const each of approvals) output.document(each);
      else if (approvals.length === 0) output.note('nothing waits for you');
      else {
        output.answer(renderApprovals(approvals, { nowMs: Date.now(), style: output.answerStyle }).join('\n'));
        const first = approvals[0]!;
        output.note(`  let it run:  ${toCommand('approve', first.runId, first.id)}`);
        output.note(`  refuse it:   ${toCommand('deny', first.runId, first.id, '--reason', 'why')}`);
      }
      return 0;
    });
  });
  const approve = program
    .command('approve')
    .argument('<run>', runArgumentHelp)
    .argument('<approval>', approvalArgumentHelp)
    .description('let a call run that waits for a person');
  launch(approve, approveFlags, async (context) => {
    const values = readCommandFlags(context, approveFlags);
    const [runId, id] = [readRunArgument(context.args[0]), parseInput(approvalIdSchema, context.args[1], 'approval')];
    const args = values['--args'] === undefined ? undefined : await readArguments(values['--args']);
    return withSteeredRun(context, runId, { mayWork: values['--no-worker'] !== true }, async (handle, call) => {
      const outcome = await handle.approve(id, {
        ...call,
        requestId: values['--request-id'],
        reason: values['--reason'],
        ...(args && { args }),
        ...(values['--remember'] && { remember: values['--remember'] }),
      });
      if (context.output.format === 'text') context.output.answer(`${handle.runId} ${id} approved by ${outcome.by}`);
      else context.output.document({ type: 'approval', runId: handle.runId, ...outcome });
      return 0;
    });
  });
  const deny = program
    .command('deny')
    .argument('<run>', runArgumentHelp)
    .argument('<approval>', approvalArgumentHelp)
    .description('refuse a call that waits for a person; its subagent goes on');
  launch(deny, denyFlags, async (context) => {
    const values = readCommandFlags(context, denyFlags);
    const [runId, id] = [readRunArgument(context.args[0]), parseInput(approvalIdSchema, context.args[1], 'approval')];
    return withSteeredRun(context, runId, { mayWork: values['--no-worker'] !== true }, async (handle, call) => {
      const options = { ...call, requestId: values['--request-id'], reason: values['--reason'] };
      const outcome = await handle.deny(id, options);
      if (context.output.format === 'text') context.output.answer(`${handle.runId} ${id} denied by ${outcome.by}`);
      else context.output.document({ type: 'approval', runId: handle.runId, ...outcome });
      return 0;
    });
  });
}

/** A JSON object, given as such or in a file. */
async function readArguments(text: string): Promise<Record<string, unknown>> {
  try {
    const json = text.startsWith('@') ? await readFile(text.slice(1), 'utf8') : text;
    return z.record(z.string(), z.unknown()).parse(JSON.parse(json));
  } catch (error) {
    const isObject = error instanceof z.ZodError ? 'something else' : (error as Error).message;
    throw new TributaryError(
      'INVALID_REQUEST',
      `--args: wanted a JSON object, or @ and a file with one, came ${isObject}`,
    );
  }
}
