/** Starts the page over the server that served it. */
import './no-eval.ts';
import { createHttpClient } from '../http/create-http-client.ts';
import { readToken } from './server/token.ts';
import { mountPage } from './mount-page.tsx';

mountPage(
  document.getElementById('page')!,
  createHttpClient({ baseUrl: window.location.origin, token: readToken(), fetch: window.fetch.bind(window) }),
);
