/** The browser that the page is tested in, and the page over the fixture runs, built for it. */
import { join } from 'node:path';

export const chromiumOptions = {
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
};

export async function buildFixture(root, outDir) {
  const { build } = await import('vite');
  await build({
    configFile: join(root, 'vite.config.mjs'),
    root: join(root, 'test', 'page'),
    logLevel: 'warn',
    build: { outDir },
  });
}
