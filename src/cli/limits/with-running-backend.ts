/** A server that is up already: nothing is started to ask it or to tell it something. */
import { withBackend, type CommandContext } from '../command-context.ts';
import type { Backend } from '../cli-dependencies.ts';

/** `body` gets `null` where the embedded server does not run. */
export async function withRunningBackend<T>(
  context: CommandContext,
  body: (backend: Backend | null) => Promise<T>,
): Promise<T> {
  const installation = await context.openInstallation();
  const isUp = installation.cluster !== null || (await installation.readServer())?.alive === true;
  return isUp ? withBackend(context, { existingOnly: false }, body) : body(null);
}
