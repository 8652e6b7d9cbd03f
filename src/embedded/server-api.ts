/** The two questions put to the server's HTTP API: do you serve, and have you this namespace. */
import { request } from 'node:http';
import { TributaryError } from '../contract/failure.ts';
import { pollUntil } from './poll-until.ts';

/**
 * The one `Host` that the HTTP API answers. A web page that the user has open can reach the port and post to it, but no
 * browser sends a host that is not that of the address.
 */
export const apiHost = 'tributary.invalid';
const answerMs = 5_000;
const retention = `${30 * 86_400}s`;
const namespaceMs = 30_000;

type Answer = { readonly status: number; readonly body: string };

/** `null` = no answer. `node:http` and not `fetch`, which newer Nodes send through a proxy, loopback or not. */
async function ask(port: number, method: 'GET' | 'POST', path: string, body?: unknown): Promise<Answer | null> {
  return new Promise((resolve) => {
    const headers = { 'content-type': 'application/json', host: apiHost };
    const outgoing = request({ host: '127.0.0.1', port, method, path, headers, timeout: answerMs }, (incoming) => {
      let text = '';
      incoming.setEncoding('utf8');
      incoming.on('data', (chunk: string) => (text += chunk));
      incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, body: text }));
      incoming.on('error', () => resolve(null));
    });
    outgoing.on('timeout', () => outgoing.destroy());
    outgoing.on('error', () => resolve(null));
    outgoing.on('close', () => resolve(null));
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Whether the front end answers. */
export async function isServing(httpPort: number): Promise<boolean> {
  return (await ask(httpPort, 'GET', '/api/v1/system-info'))?.status === 200;
}

/**
 * Sees to it that the namespace exists, with 30 days' retention where it is new, and that it can be used: the server
 * knows a new one about a second after it was made.
 *
 * @throws TributaryError SERVER_UNREACHABLE
 */
export async function ensureNamespace(httpPort: number, namespace: string): Promise<void> {
  const name = encodeURIComponent(namespace);
  let last = 'no answer';
  const usable = await pollUntil(
    async () => {
      const known = await ask(httpPort, 'GET', `/api/v1/namespaces/${name}/workflows?pageSize=1`);
      if (known?.status === 200) return true;
      last = known?.body.trim() ?? last;
      const described = await ask(httpPort, 'GET', `/api/v1/namespaces/${name}`);
      // 409 = another program was faster; then it exists all the same.
      if (described?.status === 404)
        await ask(httpPort, 'POST', '/api/v1/namespaces', { namespace, workflowExecutionRetentionPeriod: retention });
      return false;
    },
    namespaceMs,
    100,
  );
  if (!usable)
    throw new TributaryError(
      'SERVER_UNREACHABLE',
      `the namespace ${namespace} could not be made: ${last.slice(0, 500)}`,
    );
}
