/** The API over a research API in memory, asked as a browser or a program would. */
import { createWebApp } from '../../src/web/create-web-app.ts';
import type { WebOptions } from '../../src/web/web-options.ts';
import { createFakeResearch, description, subagent } from '../support/fake-research-api.ts';

export const corpusPath = '/srv/private/documents';

export function openWeb(options: Partial<WebOptions> = {}) {
  const research = createFakeResearch();
  const run = research.place(description('run_1', { tree: [subagent('s1')] }));
  const errors: unknown[] = [];
  const who: string[] = [];
  const app = createWebApp({
    apiFor(name) {
      who.push(name);
      return research.api;
    },
    namespace: 'tributary',
    taskQueue: 'tributary',
    version: '1.2.3',
    corpora: { docs: corpusPath },
    defaultModel: 'extractive',
    tokens: [],
    readOnly: false,
    allowedHosts: ['localhost', '127.0.0.1'],
    accept: [],
    temporalUrl: null,
    page: null,
    onError: (error) => void errors.push(error),
    ...options,
  });
  const ask = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    app.fetch(
      new Request(`http://localhost:7450${path}`, {
        method,
        headers: { ...(method === 'POST' && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    );
  return { research, run, errors, who, app, ask };
}
