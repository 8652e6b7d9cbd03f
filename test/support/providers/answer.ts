/** Puts an answer on the wire, or breaks the connection in the way that a test asks for. */
import type { ServerResponse } from 'node:http';
import type { ErrorAnswer, Fault, Json, ProviderApi } from './provider-api.ts';

export function sendJson(response: ServerResponse, status: number, body: Json): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

export function sendError(
  response: ServerResponse,
  api: ProviderApi,
  { echoesKey, ...error }: ErrorAnswer,
  key: string | undefined,
): void {
  const { status, headers = {}, body, message = 'It failed.' } = error;
  const said = echoesKey ? `${message} The key was ${key}.` : message;
  const text = body ?? JSON.stringify(api.renderError({ ...error, message: said }));
  response.setHeader('content-type', text.startsWith('<') ? 'text/html' : 'application/json');
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.writeHead(status).end(text);
}

export function breakConnection(response: ServerResponse, fault: Fault, redirectTo: string): void {
  const head = { 'content-type': 'application/json' };
  switch (fault) {
    case 'hang-before-headers':
      return;
    case 'hang-in-body':
      return void response.writeHead(200, head).write('{"id":');
    case 'cut-body':
      response.writeHead(200, { ...head, 'content-length': '1000' });
      return void response.write('{"id":', () => response.destroy());
    case 'reset':
      return void response.socket?.resetAndDestroy();
    case 'redirect':
      // To this very server, so that a client that follows is seen to.
      return void response.writeHead(307, { location: redirectTo }).end();
    default:
      return fault satisfies never;
  }
}
