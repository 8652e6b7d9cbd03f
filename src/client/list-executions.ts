/** All executions that fit a query, page by page. */
import type { Client } from '@temporalio/client';
import { callService } from './call-service.ts';
import type { ExecutionInfo } from './execution.ts';

const pageSize = 200;

/** In the order of the server's store; no more than `limit`. */
export async function listExecutions(
  client: Client,
  query: string,
  signal?: AbortSignal,
  limit = Infinity,
): Promise<ExecutionInfo[]> {
  const found: ExecutionInfo[] = [];
  let nextPageToken: Uint8Array | undefined;
  do {
    const response = await callService(client, { ...(signal && { signal }) }, (service) =>
      service.listWorkflowExecutions({
        namespace: client.options.namespace,
        query,
        pageSize: Math.min(pageSize, limit),
        nextPageToken,
      }),
    );
    found.push(...(response.executions ?? []));
    nextPageToken = response.nextPageToken?.length ? response.nextPageToken : undefined;
  } while (nextPageToken && found.length < limit);
  return found.slice(0, limit);
}
