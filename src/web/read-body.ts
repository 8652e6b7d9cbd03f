/** The body of a request: JSON of at most 1 MB that fits its schema, or a refusal that says what is wrong with it. */
import type { Context } from 'hono';
import type { z } from 'zod';
import { TributaryError } from '../contract/failure.ts';
import { parseInput } from '../contract/invalid-input.ts';
import { HttpRefusal } from './problem.ts';

export const maxBodyBytes = 1_000_000;
const wantedJson = 'wanted a body of JSON';

/** Forms and plain texts can be sent from any page without asking; JSON cannot. */
export function requireJson(contentType: string | undefined): void {
  const type = contentType?.split(';')[0]!.trim().toLowerCase();
  if (type === 'application/json') return;
  const came = type === undefined || type === '' ? 'nothing' : `"${type}"`;
  throw new HttpRefusal(
    415,
    'INVALID_REQUEST',
    `${wantedJson}: wanted the content type application/json, came ${came}`,
    { 'accept-post': 'application/json' },
  );
}

/** An empty body is an empty object. */
export async function readBody<T>(context: Context, schema: z.ZodType<T>, what: string): Promise<T> {
  return parseInput(schema, parseJson(await readText(context)), what);
}

async function readText(context: Context): Promise<string> {
  if (Number(context.req.header('content-length') ?? 0) > maxBodyBytes) throw tooLarge();
  const body = context.req.raw.body;
  if (!body) return '';
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body as ReadableStream<Uint8Array> & AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > maxBodyBytes) throw tooLarge();
    chunks.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new TributaryError('INVALID_REQUEST', `${wantedJson}: it is not UTF-8`);
  }
}

function parseJson(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new TributaryError('INVALID_REQUEST', `${wantedJson}: ${(error as Error).message}`);
  }
}

function tooLarge(): HttpRefusal {
  const message = `wanted a body of at most ${maxBodyBytes} bytes, came a larger one`;
  return new HttpRefusal(413, 'INVALID_REQUEST', message, { connection: 'close' });
}
