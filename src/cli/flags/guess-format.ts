/** The output format, read straight from the arguments: a call that cannot be parsed must still fail in its format. */
import type { Format } from '../output/output.ts';

const formats: readonly string[] = ['text', 'json', 'jsonl'];

/** The last of `--json`, `-o X`, `-oX`, `--output X`, `--output=X` before `--`; an unknown X counts as text. */
export function guessFormat(argv: readonly string[]): Format {
  let format: string = 'text';
  for (let index = 0; index < argv.length && argv[index] !== '--'; index += 1) {
    const word = argv[index]!;
    if (word === '--json') format = 'json';
    else if (word === '-o' || word === '--output') format = argv[index + 1] ?? 'text';
    else if (word.startsWith('--output=')) format = word.slice('--output='.length);
    else if (/^-o./.test(word)) format = word.slice(2);
  }
  return formats.includes(format) ? (format as Format) : 'text';
}
