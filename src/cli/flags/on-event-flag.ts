/** `--on-event`: an address is a webhook, anything else a command with its arguments. */
import { resolve } from 'node:path';
import { z } from 'zod';
import { onEventSchema, type OnEvent } from '../../contract/request.ts';
import { splitCommand } from './split-command.ts';

export const onEventFlag = z.string().transform((text, context): OnEvent => {
  const refuse = (message: string) => {
    context.addIssue({ code: 'custom', message, input: text });
    return z.NEVER;
  };
  const isAddress = /^https?:\/\//i.test(text);
  const command = isAddress ? [] : splitCommand(text);
  if (command === null) return refuse('wanted a command whose quotes are closed');
  const parsed = onEventSchema.safeParse(
    isAddress ? { kind: 'webhook', url: text } : { kind: 'command', command: toAbsolute(command) },
  );
  if (parsed.success) return parsed.data;
  return refuse(
    isAddress
      ? 'wanted an http or https address without user, password, query and fragment'
      : 'wanted an address of http or https, or a command such as "notify-send Tributary"',
  );
});

/** A program by its path is the one that is meant here, wherever the worker was started. */
function toAbsolute([program = '', ...rest]: readonly string[]): string[] {
  return program === '' ? [] : [program.includes('/') ? resolve(program) : program, ...rest];
}
