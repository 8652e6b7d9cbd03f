/** A browser on the fixture page, for one test file. Whatever the page complains about or asks of the network is kept. */
import { afterAll, beforeAll } from '@jest/globals';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { chromiumOptions } from './browser.mjs';
import { servePage } from './serve-page.mjs';

export type Call = { readonly action: string; readonly runId?: string; readonly input?: Record<string, unknown> };
export type Opened = {
  readonly page: Page;
  /** Errors of the console, scripts that failed, and dialogs that came up. */
  readonly complaints: string[];
  /** Addresses that are not the server's. */
  readonly strangers: string[];
  calls(): Promise<readonly Call[]>;
};

export function openWorld() {
  let browser: Browser;
  let server: Awaited<ReturnType<typeof servePage>>;
  beforeAll(async () => {
    server = await servePage(process.env['TRIBUTARY_FIXTURE_PAGE']!);
    browser = await chromium.launch(chromiumOptions);
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });
  return {
    async open(path: string, options: BrowserContextOptions = {}): Promise<Opened> {
      const page = await browser.newPage({ viewport: { width: 1320, height: 860 }, ...options });
      const complaints: string[] = [];
      const strangers: string[] = [];
      page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('dialog', (dialog) => {
        complaints.push(`dialog: ${dialog.message()}`);
        void dialog.dismiss();
      });
      page.on('request', (request) => {
        if (!request.url().startsWith(server.url)) strangers.push(request.url());
      });
      await page.goto(server.url + path);
      await page.locator('h1').first().waitFor();
      const calls = async () =>
        page.evaluate(() => (window as unknown as { fixture: { calls: Call[] } }).fixture.calls);
      return { page, complaints, strangers, calls };
    },
  };
}
