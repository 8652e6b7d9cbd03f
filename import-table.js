/** The import table of ARCHITECTURE.md, as data: lint and the architecture test read it. */
const nodeBuiltins = ['node:'];
export const importTable = {
  contract: { values: [], types: [], packages: ['zod'] },
  domain: { values: [], types: ['contract'], packages: [] },
  export: { values: ['contract', 'domain'], types: [], packages: ['marked'] },
  temporal: { values: ['contract'], types: [], packages: ['@temporalio/common', '@temporalio/workflow'] },
  workflows: {
    values: ['contract', 'domain', 'temporal'],
    types: ['activities'],
    packages: ['@temporalio/workflow', '@temporalio/common'],
  },
  activities: {
    values: ['contract', 'domain', 'temporal'],
    types: ['models', 'tools', 'store'],
    packages: ['@temporalio/activity', '@temporalio/common', ...nodeBuiltins],
  },
  models: {
    values: ['contract', 'domain'],
    types: [],
    packages: [
      '@ai-sdk/anthropic',
      '@ai-sdk/google',
      '@ai-sdk/openai',
      '@ai-sdk/openai-compatible',
      '@ai-sdk/provider',
      '@pydantic/genai-prices',
      'undici',
      'yaml',
      'zod',
      ...nodeBuiltins,
    ],
  },
  tools: {
    values: ['contract', 'domain'],
    types: [],
    packages: [
      'minisearch',
      'linkedom',
      '@mozilla/readability',
      'unpdf',
      'undici',
      'ipaddr.js',
      'zod',
      ...nodeBuiltins,
    ],
  },
  store: { values: ['contract', 'domain'], types: [], packages: ['pg', ...nodeBuiltins] },
  client: {
    values: ['contract', 'domain', 'export', 'temporal'],
    types: ['workflows'],
    packages: ['@temporalio/client', '@temporalio/common', 'ulid', ...nodeBuiltins],
  },
  replay: {
    values: ['contract', 'domain'],
    types: [],
    packages: ['@temporalio/worker', '@temporalio/common', ...nodeBuiltins],
  },
  embedded: { values: ['contract'], types: [], packages: ['proper-lockfile', ...nodeBuiltins] },
  cli: {
    values: ['client', 'embedded', 'contract', 'domain'],
    types: [],
    packages: ['commander', 'log-update', 'string-width', 'yaml', 'zod', ...nodeBuiltins],
  },
};
