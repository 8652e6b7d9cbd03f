/** What a subagent has searched, found, read and failed at so far, from its messages alone. */
import { sliceText } from '../../domain/text.ts';
import type { ReadText, SearchHit } from '../../domain/corpus-reading.ts';
import { fromHitsText, fromReading } from '../../domain/corpus-reading.ts';
import type { PromptMessage } from '../model.ts';

export type Progress = {
  readonly searches: readonly { readonly query: string; readonly hits: readonly SearchHit[] | null }[];
  /** Documents whose reading was tried, by URL. */
  readonly tried: ReadonlySet<string>;
  readonly readings: readonly ReadText[];
  /** Calls that brought nothing, in a sentence each. */
  readonly failures: readonly string[];
};

const maxFailureChars = 200;
const firstLine = (text: string) => sliceText(text.split('\n')[0]!, maxFailureChars);

/** Calls and results meet by their id; results of other tools are passed over. */
export function readTranscript(messages: readonly PromptMessage[]): Progress {
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? message.toolCalls : []));
  const results = new Map(
    messages.flatMap((message) =>
      message.role === 'tool' ? message.results.map((result) => [result.callId, result] as const) : [],
    ),
  );
  const searches: { query: string; hits: SearchHit[] | null }[] = [];
  const tried = new Set<string>();
  const readings: ReadText[] = [];
  const failures: string[] = [];
  for (const call of calls) {
    const result = results.get(call.callId);
    const answer = result && !result.isError ? result.text : null;
    const why = result ? firstLine(result.text) : 'there was no answer';
    if (call.name === 'corpus_search') {
      const query = String(call.arguments.query);
      searches.push({ query, hits: answer === null ? null : fromHitsText(answer) });
      if (answer === null) failures.push(`searching for "${query}": ${why}`);
    } else if (call.name === 'corpus_read') {
      const document = String(call.arguments.document);
      tried.add(document);
      const reading = answer === null ? null : fromReading(answer);
      if (reading) readings.push(reading);
      else failures.push(`reading ${document}: ${why}`);
    }
  }
  return { searches, tried, readings, failures };
}
