/** The one way of the page to the server: everything it knows and does goes through this client. */
import { createContext, useContext } from 'react';
import type { createHttpClient } from '../../http/create-http-client.ts';

export type PageClient = ReturnType<typeof createHttpClient>;
export type PageRunHandle = ReturnType<PageClient['getHandle']>;

const ClientContext = createContext<PageClient | null>(null);
export const ClientProvider = ClientContext.Provider;

export function useClient(): PageClient {
  const client = useContext(ClientContext);
  if (!client) throw new Error('the page was mounted without a client');
  return client;
}
