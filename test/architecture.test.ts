import { beforeAll, describe, expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

type Row = { values: string[]; types: string[]; packages: string[] };

const root = fileURLToPath(new URL('..', import.meta.url));
const { importTable } = (await import(new URL('../import-table.js', import.meta.url).href)) as {
  importTable: Record<string, Row>;
};
const architecture = await readFile(`${root}ARCHITECTURE.md`, 'utf8');

/** Cells of the first table under a heading, without its head. */
function tableUnder(heading: string): string[][] {
  const section = architecture.split(`\n## ${heading}\n`)[1]!.split('\n## ')[0]!;
  const rows = section.split('\n').filter((line) => line.startsWith('|'));
  return rows.slice(2).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}
const listIn = (cell: string): string[] => (cell === '–' ? [] : cell.split(', '));

/** Runs a module in a process of its own: bundlers and linters do not take to Jest's own module loading. */
async function runModule<T>(source: string, input: unknown): Promise<T> {
  const args = ['--input-type=module', '-e', source, JSON.stringify(input)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, maxBuffer: 16_000_000 });
  return JSON.parse(stdout) as T;
}

describe('the import table', () => {
  const written = tableUnder('Import table').flatMap(([folders, ...cells]) =>
    listIn(folders!).map((folder) => ({ folder, cells })),
  );

  test.each(Object.entries(importTable))('of ARCHITECTURE.md says the same as the data: %s', (folder, row) => {
    const [values, types, packages] = written.find((each) => each.folder === folder)!.cells as [string, string, string];
    expect(listIn(values).sort()).toEqual([...row.values].sort());
    expect(listIn(types).sort()).toEqual([...row.types].sort());
    if (packages.includes('`import-table.js`')) return;
    const named = packages.startsWith('none') ? [] : listIn(packages);
    expect(named.sort()).toEqual(row.packages.map((name) => name.replace(/:$/, '')).sort());
  });

  test('has a row for every folder of src, and for no other', async () => {
    const entries = await readdir(`${root}src`, { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
    expect(folders.sort()).toEqual(Object.keys(importTable).sort());
    const outside = ['programs', 'config', 'test', 'bench'];
    expect(written.map((each) => each.folder).sort()).toEqual([...folders, ...outside].sort());
  });

  test('names packages that are dependencies', async () => {
    const { dependencies } = JSON.parse(await readFile(`${root}package.json`, 'utf8')) as {
      dependencies: Record<string, string>;
    };
    const named = new Set(Object.values(importTable).flatMap((row) => row.packages));
    named.delete('node:');
    expect([...named].filter((name) => !(name in dependencies))).toEqual([]);
  });
});

describe('"to change X, open Y"', () => {
  const paths = tableUnder('To change X, open Y').flatMap(([what, where]) =>
    [...where!.matchAll(/`([^`]+)`/g)].map(([, path]) => ({ what: what!, path: path! })),
  );

  test('names a place for everything', () => {
    expect(paths.length).toBeGreaterThanOrEqual(tableUnder('To change X, open Y').length);
  });

  test.each(paths)('$what: $path is there', ({ path }) => expect(existsSync(`${root}${path}`)).toBe(true));

  test('the places that the story of a run names are there too', () => {
    const story = architecture.split('\n## One run\n')[1]!.split('\n## ')[0]!;
    const named = [...story.matchAll(/`([a-z]+(?:\/[a-z-]+)+|run-[a-z]+)`/g)].map(([, path]) => path!);
    expect(named.length).toBeGreaterThan(5);
    const isThere = (path: string) =>
      [path, `workflows/${path}`].some(
        (each) => existsSync(`${root}src/${each}`) || existsSync(`${root}src/${each}.ts`),
      );
    expect(named.filter((path) => !isThere(path))).toEqual([]);
  });
});

test('the workflows bundle, and what a worker finds in the bundle are the two workflows alone', async () => {
  const exported = await runModule<string[]>(
    `import { bundleWorkflowCode } from '@temporalio/worker';
     import { AsyncLocalStorage } from 'node:async_hooks';
     import assert from 'node:assert';
     import vm from 'node:vm';
     const quiet = { trace() {}, debug() {}, info() {}, warn() {}, error: console.error, log() {} };
     const { code } = await bundleWorkflowCode({ workflowsPath: JSON.parse(process.argv[1]), logger: quiet });
     const globals = { AsyncLocalStorage, URL, URLSearchParams, TextEncoder, TextDecoder, AbortController, assert, console };
     const sandbox = vm.createContext({ ...globals, __webpack_module_cache__: {} });
     vm.runInContext(code, sandbox);
     console.log(JSON.stringify(Object.keys(sandbox.__TEMPORAL__.importWorkflows())));`,
    `${root}src/workflows/index.ts`,
  );
  expect(exported.sort()).toEqual(['researchWorkflow', 'subagentWorkflow']);
}, 120_000);

describe('lint', () => {
  /** Texts in place of files that exist, since typed rules want files of the project. */
  const cases = [
    {
      title: 'the domain takes no value from the client',
      file: 'src/domain/usage.ts',
      text: "export { createResearchClient } from '../client/research-client.ts';",
      refusal: 'domain may not import from client',
    },
    {
      title: 'nor a type, also from a folder below',
      file: 'src/domain/projection/share.ts',
      text: "import type { Model } from '../../models/model.ts';\nexport type X = Model;",
      refusal: 'domain may not import from models',
    },
    {
      title: 'the domain takes no value from the contract',
      file: 'src/domain/usage.ts',
      text: "import { defaults } from '../contract/defaults.ts';\nexport const x = defaults.maxTurns;",
      refusal: 'domain may not import values from contract',
    },
    {
      title: 'the domain takes types from the contract',
      file: 'src/domain/usage.ts',
      text: "import type { Usage } from '../contract/budget.ts';\nexport type X = Usage;",
      refusal: null,
    },
    {
      title: 'the domain has no clock',
      file: 'src/domain/usage.ts',
      text: 'export const x = () => Date.now();',
      refusal: 'The domain is pure',
    },
    {
      title: 'the domain has no chance',
      file: 'src/domain/usage.ts',
      text: 'export const x = () => Math.random();',
      refusal: 'The domain is pure',
    },
    {
      title: 'the domain has no process',
      file: 'src/domain/usage.ts',
      text: 'export const x = () => process.env.HOME;',
      refusal: 'The domain is pure',
    },
    {
      title: 'the domain has no packages and no built-ins',
      file: 'src/domain/usage.ts',
      text: "import { readFileSync } from 'node:fs';\nexport const x = readFileSync;",
      refusal: 'domain may not import this package',
    },
    {
      title: 'workflows take no value from activities',
      file: 'src/workflows/fan-out.ts',
      text: "import { createActivities } from '../activities/create-activities.ts';\nexport const x = createActivities;",
      refusal: 'workflows may not import values from activities',
    },
    {
      title: 'workflows take types from activities',
      file: 'src/workflows/fan-out.ts',
      text: "import type { Activities } from '../activities/create-activities.ts';\nexport type X = Activities;",
      refusal: null,
    },
    {
      title: 'workflows start no child but through runChild',
      file: 'src/workflows/fan-out.ts',
      text: "import { executeChild } from '@temporalio/workflow';\nexport const x = () => executeChild('y');",
      refusal: 'Start children with runChild',
    },
    {
      title: 'the contract takes nothing from the domain',
      file: 'src/contract/plan.ts',
      text: "import { readPlan } from '../domain/plan.ts';\nexport const x = readPlan;",
      refusal: 'contract may not import from domain',
    },
    {
      title: 'a package whose name begins like an allowed one is another package',
      file: 'src/contract/plan.ts',
      text: "import x from 'zodiac';\nexport default x as unknown;",
      refusal: 'contract may not import this package',
    },
    {
      title: 'models know nothing of Temporal',
      file: 'src/models/model.ts',
      text: "import { Context } from '@temporalio/activity';\nexport const x = Context;",
      refusal: 'models may not import this package',
    },
    {
      title: 'nobody imports a program',
      file: 'src/activities/plan.ts',
      text: "import * as worker from '../worker.ts';\nexport const x = worker;",
      refusal: 'activities may not import a program',
    },
  ];
  let messages: string[][];

  beforeAll(async () => {
    messages = await runModule<string[][]>(
      `import { ESLint } from 'eslint';
       const eslint = new ESLint();
       const all = [];
       for (const { file, text } of JSON.parse(process.argv[1])) {
         const [result] = await eslint.lintText(text, { filePath: file });
         all.push(result.messages.map((each) => each.message));
       }
       console.log(JSON.stringify(all));`,
      cases,
    );
  }, 120_000);

  test.each(cases.map((each, index) => ({ ...each, index })))('$title', ({ index, refusal }) => {
    if (refusal === null) expect(messages[index]).toEqual([]);
    else expect(messages[index]).toContainEqual(expect.stringContaining(refusal));
  });
});
