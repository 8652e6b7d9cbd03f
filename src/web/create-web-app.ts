/**
 * The HTTP API and the page, as a function from request to answer. It knows runs through `ResearchApi` alone, keeps nothing
 * of its own, and adds no event to any history that the client would not.
 */
import { OpenAPIHono } from '@hono/zod-openapi';
import { HTTPException } from 'hono/http-exception';
import { TributaryError } from '../contract/failure.ts';
import { describeIssues } from '../contract/invalid-input.ts';
import { addRoute, type ApiRoute, type RouteKit, type WebApp } from './api-route.ts';
import { requireCaller, requireChange, requireHost } from './guard.ts';
import { createPathVeil } from './hide-paths.ts';
import { toPageResponse } from './page-files.ts';
import { HttpRefusal, toProblem, toProblemResponse } from './problem.ts';
import { approvalRoutes } from './routes/approval-routes.ts';
import { runRoutes } from './routes/run-routes.ts';
import { serverRoutes } from './routes/server-routes.ts';
import { steerRoutes } from './routes/steer-routes.ts';
import { streamRoutes } from './routes/stream-routes.ts';
import { addSecurityHeaders } from './security-headers.ts';
import type { WebOptions } from './web-options.ts';

const documentPath = '/api/openapi.json';

export type WebServerApp = { fetch(request: Request): Promise<Response> };

export function createWebApp(options: WebOptions): WebServerApp {
  const names = Object.fromEntries(Object.entries(options.corpora).map(([name, path]) => [path, name]));
  const veil = createPathVeil({ ...options.privatePaths, ...names });
  const kit: RouteKit = {
    options,
    veil,
    api: (context) => options.apiFor(context.get('who')),
    json: (value, status = 200, headers = {}) =>
      new Response(veil.toJson(value), {
        status,
        headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', ...headers },
      }),
  };
  const routes = [...runRoutes, ...streamRoutes, ...steerRoutes, ...approvalRoutes, ...serverRoutes];
  const app: WebApp = new OpenAPIHono({
    // Only queries are read by the framework.
    defaultHook(result) {
      if (result.success) return;
      const issues = describeIssues(result.error, (result as { readonly data?: unknown }).data);
      throw new TributaryError('INVALID_REQUEST', `query: ${issues.join('; ')}`);
    },
  });

  app.use(async (context, next) => {
    requireHost(context.req.raw, options);
    await next();
  });
  app.use('/api/*', async (context, next) => {
    context.set('who', requireCaller(context.req.raw, options));
    requireKnownMethod(routes, context.req.method, context.req.path);
    if (context.req.method === 'POST') requireChange(context.req.raw, options);
    await next();
  });
  for (const route of routes) addRoute(app, route, kit);
  app.get(documentPath, (context) =>
    context.json(
      app.getOpenAPI31Document({
        openapi: '3.1.0',
        info: {
          title: 'Tributary',
          version: options.version,
          description: 'Runs of research agents: start, watch, steer.',
        },
      }),
    ),
  );
  app.notFound((context) => {
    const { path, method } = context.req;
    const isFile = options.page && !path.startsWith('/api/') && (method === 'GET' || method === 'HEAD');
    const file = isFile ? toPageResponse(options.page, path) : null;
    if (file) return file;
    throw new HttpRefusal(404, 'INVALID_REQUEST', `there is nothing at ${path}`);
  });
  app.onError((error) => {
    const known = error instanceof HTTPException ? new TributaryError('INVALID_REQUEST', error.message) : error;
    if (toProblem(known).status === 500) options.onError?.(error);
    return toProblemResponse(known, veil.hide);
  });
  return {
    async fetch(request) {
      const answer = await app.fetch(request);
      addSecurityHeaders(answer.headers);
      return answer;
    },
  };
}

/** A path that is there, asked with a method that it has not. */
function requireKnownMethod(routes: readonly ApiRoute[], method: string, path: string): void {
  const asked = method === 'HEAD' ? 'GET' : method;
  const there = [...routes, { path: documentPath, method: 'get' as const }].filter((route) => fits(route.path, path));
  const methods = [...new Set(there.map((route) => route.method.toUpperCase()))];
  if (methods.length === 0 || methods.includes(asked)) return;
  const allow = methods.join(', ');
  throw new HttpRefusal(405, 'INVALID_REQUEST', `${path}: wanted ${allow}, came ${method}`, { allow });
}

function fits(template: string, path: string): boolean {
  const wanted = template.split('/');
  const given = path.split('/');
  return wanted.length === given.length && wanted.every((part, at) => part.startsWith('{') || part === given[at]);
}
