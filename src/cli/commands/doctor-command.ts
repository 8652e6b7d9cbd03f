/** `doctor`: what is there, what is missing, and what to do about it. Starts nothing. */
import type { Command } from 'commander';
import { runChecks, type Check } from '../doctor/run-checks.ts';
import { readCommandFlags, type Launch } from '../launch.ts';
import { toPlainLine } from '../output/plain-text.ts';
import { paintText, type Paint } from '../output/style.ts';

const marks: Record<Check['state'], { sign: string; ascii: string; paint: Paint }> = {
  ok: { sign: '✓', ascii: '[ok]', paint: 'green' },
  info: { sign: '·', ascii: '[  ]', paint: 'gray' },
  warning: { sign: '!', ascii: '[!] ', paint: 'yellow' },
  failed: { sign: '✗', ascii: '[x] ', paint: 'red' },
};

export function defineDoctorCommand(program: Command, launch: Launch): void {
  const command = program.command('doctor').description('check the set-up: Node, server, worker, state, model');
  launch(command, {}, async (context) => {
    readCommandFlags(context, {});
    const { output, io, interrupts, toCommand, dependencies } = context;
    const checks = await runChecks(await context.openInstallation(), {
      env: io.env,
      version: dependencies.version,
      nodeVersion: process.versions.node,
      signal: interrupts.signal,
      toCommand,
    });
    const usable = checks.every((check) => check.state !== 'failed');
    if (output.format !== 'text') output.document({ type: 'doctor', usable, checks });
    else {
      const style = output.answerStyle;
      const width = Math.max(...checks.map((check) => check.name.length));
      const lines = checks.flatMap((check) => {
        const { sign, ascii, paint } = marks[check.state];
        const mark = paintText(style, paint, style.unicode ? sign : ascii);
        const fix = check.fix === undefined ? [] : [`${' '.repeat(width + 4)}${paintText(style, 'dim', check.fix)}`];
        return [`${mark} ${check.name.padEnd(width)}  ${toPlainLine(check.text)}`, ...fix];
      });
      output.answer([...lines, '', usable ? 'ready' : 'not usable yet'].join('\n'));
    }
    return usable ? 0 : 1;
  });
}
