/** `ui`: the page and the HTTP API in the foreground, until stopped. It starts no worker. */
import type { Command } from 'commander';
import { withBackend } from '../command-context.ts';
import { readServeFlags, serveFlags } from '../flags/serve-flags.ts';
import { raceSignal } from '../follow/race-signal.ts';
import type { Launch } from '../launch.ts';
import { tellPage } from '../view/tell-page.ts';

export function defineUiCommand(program: Command, launch: Launch): void {
  const command = program
    .command('ui')
    .description('the page and the HTTP API, until stopped with Ctrl-C')
    .addHelpText(
      'after',
      [
        '',
        'Runs started there need a worker: tributary worker, or dev, which serves the page too.',
        'Examples: tributary ui --corpora docs=./documents',
        '          TRIBUTARY_WEB_TOKEN=alice:… tributary ui --host 0.0.0.0 --allow-host research.example.org',
      ].join('\n'),
    );
  launch(command, serveFlags, async (context) => {
    const { output, interrupts } = context;
    const options = await readServeFlags(context);
    return withBackend(context, { existingOnly: false }, async (maybe) => {
      const backend = maybe!;
      const { address, namespace, taskQueue } = backend;
      backend.keepAlive((line) => output.note(line));
      const page = await backend.servePage({ ...options, onError: (error) => output.note(`error: ${String(error)}`) });
      try {
        if (output.format !== 'text') {
          const { url } = page;
          output.document({ type: 'ui', status: 'serving', url, address, namespace, taskQueue, pid: process.pid });
        }
        tellPage(output, page, options);
        if (!(await backend.api.hasWorker().catch(() => true))) {
          output.note(`no worker polls task queue "${taskQueue}". start one:  ${context.toCommand('worker')}`);
        }
        output.note('Ctrl-C stops it; runs go on');
        await raceSignal(new Promise<never>(() => undefined), interrupts.signal).catch((error: unknown) => {
          if (!interrupts.signal.aborted) throw error;
        });
      } finally {
        await page.close();
      }
      return 0;
    });
  });
}
