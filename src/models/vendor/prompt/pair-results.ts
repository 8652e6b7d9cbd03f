/** Every call has one result, in the very next message; no provider takes a conversation in which it is not so (CASES B01, B02). */
import type { PromptMessage } from '../../model.ts';

type ToolMessage = Extract<PromptMessage, { role: 'tool' }>;

/**
 * The messages without the system's, each tool message right behind its calls and in their order; several in a row become
 * one. A missing, doubled or unknown result is a broken invariant of the caller and throws before anything is sent.
 */
export function pairResults(messages: readonly PromptMessage[]): PromptMessage[] {
  const paired: PromptMessage[] = [];
  let open: readonly string[] = [];
  const close = () => {
    if (open.length > 0) throw new Error(`the calls ${open.join(', ')} have no result in the next message`);
  };
  for (const [index, message] of messages.entries()) {
    if (message.role === 'system') continue;
    if (message.role !== 'tool') {
      close();
      paired.push(message);
      if (message.role === 'assistant') open = message.toolCalls.map(({ callId }) => callId);
      continue;
    }
    if (messages[index - 1]?.role === 'tool') continue;
    const together = inOrder(readRun(messages, index), open);
    if (together.results.length > 0) paired.push(together);
    open = [];
  }
  close();
  return paired;
}

function readRun(messages: readonly PromptMessage[], start: number): ToolMessage['results'] {
  const end = messages.findIndex((message, index) => index > start && message.role !== 'tool');
  return messages
    .slice(start, end === -1 ? undefined : end)
    .flatMap((message) => (message.role === 'tool' ? message.results : []));
}

function inOrder(results: ToolMessage['results'], callIds: readonly string[]): ToolMessage {
  const given = results.map(({ callId }) => callId);
  const unknown = given.filter((id, index) => !callIds.includes(id) || given.indexOf(id) !== index);
  if (unknown.length > 0) throw new Error(`results for ${unknown.join(', ')}, which are no open calls`);
  const missing = callIds.filter((id) => !given.includes(id));
  if (missing.length > 0) throw new Error(`the calls ${missing.join(', ')} have no result in the next message`);
  return { role: 'tool', results: callIds.map((id) => results.find(({ callId }) => callId === id)!) };
}
