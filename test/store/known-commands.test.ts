import { expect, test } from '@jest/globals';
import { mkdtemp, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKnownCommands } from '../../src/store/known-commands.ts';

test('a command is known word for word, to whoever opens the same folder, and to no other user', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-commands-'));
  expect(await createKnownCommands(folder).has(['a', 'b'])).toBe(false);
  await createKnownCommands(folder).add(['a', 'b']);
  await createKnownCommands(folder).add(['a', 'b']);
  const known = createKnownCommands(folder);
  expect(await known.has(['a', 'b'])).toBe(true);
  for (const other of [['a'], ['a', 'b', ''], ['a b'], ['ab'], []]) expect(await known.has(other)).toBe(false);
  expect((await stat(join(folder, 'commands'))).mode & 0o777).toBe(0o700);
});
