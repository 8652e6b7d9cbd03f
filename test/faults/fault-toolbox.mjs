/** The product's toolbox with a slow read and a slow write. Both note in a file when they begin and end. */
import { appendFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { createToolboxOpener as createOpener } from '../../dist/tools/open-toolbox.js';
import { defineTool } from '../../dist/tools/tool.js';

/** `files`: path that `.tools` and `.lines` are appended to, one pair for each run. */
const input = z.object({ files: z.string(), line: z.string(), ms: z.number(), beforeMs: z.number().default(0) });

function define(name, effect, work) {
  return defineTool({
    name,
    description: `${name} of the drills.`,
    effect,
    input,
    async run({ files, line, ms, beforeMs }, { signal }) {
      const note = (what) =>
        appendFile(`${files}.tools`, `${JSON.stringify({ at: Date.now(), [what]: `${name} ${line}` })}\n`);
      await note('request');
      try {
        await wait(beforeMs, undefined, { signal });
        await work(files, line);
        await wait(ms, undefined, { signal });
      } catch (error) {
        await note('ended');
        throw error;
      }
      await note('answered');
      return { text: `${name} ${line}: done` };
    },
  });
}

const tools = [
  define('look', 'read', async () => {}),
  define('append_line', 'write', (files, line) => appendFile(`${files}.lines`, `${line}\n`)),
];

export function createToolboxOpener(...settings) {
  const open = createOpener(...settings);
  return async (...scope) => {
    const toolbox = await open(...scope);
    return { ...toolbox, tools: [...toolbox.tools, ...tools] };
  };
}
