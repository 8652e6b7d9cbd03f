/**
 * The commands that were given to the command line over this folder. Nobody signs in to the embedded server, and a web page
 * may reach it: whoever can start a run there must not be able to run a program here.
 */
import { createHash } from 'node:crypto';
import { access, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export type KnownCommands = {
  add(command: readonly string[]): Promise<void>;
  has(command: readonly string[]): Promise<boolean>;
};

/** One file for each, in `folder`, named by the hash of the whole argument list. */
export function createKnownCommands(dataDir: string): KnownCommands {
  const folder = join(dataDir, 'commands');
  const fileOf = (command: readonly string[]) =>
    join(folder, createHash('sha256').update(JSON.stringify(command)).digest('hex'));
  return {
    async add(command) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeFile(fileOf(command), `${JSON.stringify(command)}\n`, { mode: 0o600 });
    },
    has: (command) =>
      access(fileOf(command)).then(
        () => true,
        () => false,
      ),
  };
}
