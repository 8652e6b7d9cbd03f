/** `help`: topics, and the help of a command. */
import type { Command } from 'commander';
import { topics } from '../help/topics.ts';
import { readCommandFlags, type Launch } from '../launch.ts';
import { ProblemError } from '../output/problem.ts';

export function defineHelpCommand(program: Command, launch: Launch): void {
  const names = Object.keys(topics);
  const command = program
    .command('help')
    .argument('[topic]', `a command, or one of ${names.join(', ')}`)
    .description('help with a command or a topic');
  launch(command, {}, async (context) => {
    readCommandFlags(context, {});
    const { output, toCommand } = context;
    const word = context.args[0];
    const topic = word !== undefined && Object.hasOwn(topics, word) ? topics[word] : undefined;
    if (topic) {
      if (output.format === 'text') output.answer([topic.title, '', ...topic.lines].join('\n'));
      else output.document(topic.data());
      return 0;
    }
    const about =
      word === undefined ? program : program.commands.find((each) => each.name() === word || each.alias() === word);
    if (!about) {
      throw new ProblemError({
        code: 'INVALID_REQUEST',
        exitCode: 2,
        what: `help: wanted a command or one of ${names.join(', ')}, came ${JSON.stringify(word)}`,
        next: [['commands', toCommand('--help')]],
      });
    }
    if (output.format === 'text') about.outputHelp();
    else output.document({ type: 'help', topic: word ?? null, text: about.helpInformation() });
    return 0;
  });
}
