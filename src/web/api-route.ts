/** One route of the API: where it is, what it says of itself in the OpenAPI document, and what it does. */
import { createRoute, type OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { z } from 'zod';
import { runIdSchema } from '../contract/ids.ts';
import { parseInput } from '../contract/invalid-input.ts';
import type { ResearchApi } from '../client/research-api.ts';
import { readBody } from './read-body.ts';
import type { PathVeil } from './hide-paths.ts';
import type { WebOptions } from './web-options.ts';

export type WebContext = Context<{ Variables: { who: string } }>;
export type WebApp = OpenAPIHono<{ Variables: { who: string } }>;

/** What every handler works with. */
export type RouteKit = {
  readonly options: WebOptions;
  readonly veil: PathVeil;
  api(context: WebContext): ResearchApi;
  /** An answer in JSON, without the paths of this machine. */
  json(value: unknown, status?: 200 | 201, headers?: Record<string, string>): Response;
};

export type ApiRoute<Body = unknown, Query = unknown> = {
  readonly method: 'get' | 'post';
  /** `/api/runs/{runId}` */
  readonly path: string;
  readonly summary: string;
  readonly body?: z.ZodType<Body>;
  readonly query?: z.ZodType<Query>;
  /** What comes back when all is well; the content type where it is not JSON. */
  readonly answer: { readonly status: 200 | 201 | 204; readonly what: string; readonly type?: string };
  readonly handle: (
    input: { readonly body: Body; readonly query: Query; readonly context: WebContext },
    kit: RouteKit,
  ) => Promise<Response>;
};

/** Keeps the types of body and query between the schema and the handler. */
export function apiRoute<Body = undefined, Query = undefined>(route: ApiRoute<Body, Query>): ApiRoute {
  return route as unknown as ApiRoute;
}

export function addRoute(app: WebApp, route: ApiRoute, kit: RouteKit): void {
  const { method, path, summary, body, query, answer } = route;
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const key = { 'Idempotency-Key': z.string().optional() };
  app.openapi(
    createRoute({
      method,
      path: path as '/api',
      summary,
      request: {
        ...(names.length > 0 && { params: z.object(Object.fromEntries(names.map((name) => [name, z.string()]))) }),
        ...(method === 'post' && { headers: z.object(key) }),
        ...(query && { query: query as unknown as z.ZodObject }),
        ...(body && { body: { required: true, content: { 'application/json': { schema: toJsonSchema(body) } } } }),
      },
      responses: {
        [answer.status]: {
          description: answer.what,
          ...(answer.status !== 204 && { content: { [answer.type ?? 'application/json']: { schema: {} } } }),
        },
        default: { description: 'A problem (RFC 9457)', content: { 'application/problem+json': { schema: {} } } },
      },
    }),
    // The request was described above; its parts are read here, so that a refusal is worded like every other.
    (async (context: WebContext) => {
      const what = summary.toLowerCase();
      const read = {
        body: body ? await readBody(context, body, what) : undefined,
        query: query ? parseInput(query, context.req.query(), 'query') : undefined,
        context,
      };
      return route.handle(read, kit);
    }) as never,
  );
}

/** JSON Schema of what may be sent; values that are any JSON have none. */
function toJsonSchema(schema: z.ZodType): object {
  const described = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const isOfDocument = (key: string) => key === '$schema' || key === '$defs';
  const replace = (key: string, value: unknown) => (isOfDocument(key) ? undefined : isReference(value) ? {} : value);
  return JSON.parse(JSON.stringify(described, replace)) as object;
}

function isReference(value: unknown): boolean {
  return typeof value === 'object' && value !== null && '$ref' in value;
}

/** The run in the path. `@last` and beginnings of an id are for describing alone. */
export function runIdOf(context: WebContext): string {
  return parseInput(runIdSchema, context.req.param('runId'), 'run');
}

const maxKeyChars = 1_000;

/** The same key twice has one effect and one answer. */
export function requestIdOf(context: WebContext): { readonly requestId?: string } {
  const key = context.req.header('idempotency-key');
  if (key === undefined) return {};
  const schema = z.string().trim().min(1).max(maxKeyChars);
  return { requestId: parseInput(schema, key, 'Idempotency-Key') };
}
