/** Puts the page into an element, over any client with the surface of the HTTP client. */
import './no-eval.ts';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { failureCodeOf, isRetryable } from '../contract/failure.ts';
import { ClientProvider, type PageClient } from './server/client-context.tsx';
import { Page } from './page.tsx';
import './style.css';
import { startTheme } from './theme/theme.ts';

export function mountPage(element: HTMLElement, client: PageClient): void {
  startTheme();
  const queries = new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 2_000,
        retry: (count, error) => {
          const code = failureCodeOf(error);
          return count < 2 && (code === null || isRetryable(code));
        },
      },
    },
  });
  createRoot(element).render(
    <StrictMode>
      <ClientProvider value={client}>
        <QueryClientProvider client={queries}>
          <Page />
        </QueryClientProvider>
      </ClientProvider>
    </StrictMode>,
  );
}
