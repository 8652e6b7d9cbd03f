/** The chain of messages in the store: loading, appending, and cutting results. A head is returned after its blobs are durable. */
import { createHash } from 'node:crypto';
import { TributaryError } from '../contract/failure.ts';
import {
  transcriptLinkSchema,
  type BlobRef,
  type Message,
  type ToolResult,
  type TranscriptHead,
} from '../contract/transcript.ts';
import { canonicalJson } from '../domain/canonical-json.ts';
import { utf8Bytes } from '../domain/text.ts';
import type { PromptMessage } from '../models/model.ts';
import type { BlobStore } from '../store/blob-store.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export async function putJson(store: BlobStore, value: unknown): Promise<BlobRef> {
  return store.put(encoder.encode(canonicalJson(value)));
}

export async function getJson(store: BlobStore, ref: BlobRef): Promise<unknown> {
  return JSON.parse(decoder.decode(await store.get(ref.hash)));
}

/** Another store than the one a run began in would miss its transcripts: said before anything is lost. */
export async function requireStore(store: BlobStore, wanted: string): Promise<void> {
  const found = await store.id();
  if (found !== wanted) {
    throw new TributaryError(
      'STORE_MISMATCH',
      `the run keeps its transcripts in store ${wanted}; this worker has store ${found}. Start the worker with the data directory that the run was started with`,
    );
  }
}

/** One message of the conversation, with the text of its results, and the head of the chain up to it. */
export type LoadedMessage = { readonly message: Message; readonly prompt: PromptMessage; readonly bytes: number };

/** All messages up to `head`, oldest first. Rejects with `TRANSCRIPT_MISSING` where a link or a result is gone. */
export async function loadTranscript(store: BlobStore, head: TranscriptHead | null): Promise<LoadedMessage[]> {
  const messages: Message[] = [];
  for (let hash = head?.hash ?? null; hash !== null;) {
    const link = transcriptLinkSchema.parse(JSON.parse(decoder.decode(await store.get(hash))));
    messages.push(link.message);
    hash = link.parent;
  }
  return Promise.all(messages.reverse().map((message) => resolveMessage(store, message)));
}

/** The newest message of the chain alone. */
export async function loadLastMessage(store: BlobStore, head: TranscriptHead): Promise<Message> {
  return transcriptLinkSchema.parse(JSON.parse(decoder.decode(await store.get(head.hash)))).message;
}

/** Stores `added` after `head`. The same messages after the same head give the same hash on every attempt. */
export async function appendMessages(
  store: BlobStore,
  head: TranscriptHead | null,
  added: readonly LoadedMessage[],
  knownTokens = head?.knownTokens ?? 0,
): Promise<TranscriptHead> {
  let parent = head?.hash ?? null;
  let bytes = head?.bytes ?? 0;
  const stored: Promise<BlobRef>[] = [];
  for (const { message, bytes: size } of added) {
    const link = encoder.encode(canonicalJson({ parent, message }));
    // The address is known before the blob is stored, so the links of a chain are made durable side by side.
    parent = createHash('sha256').update(link).digest('hex');
    stored.push(store.put(link));
    bytes += size;
  }
  await Promise.all(stored);
  if (parent === null) throw new Error('a transcript begins with at least one message');
  return { hash: parent, messages: (head?.messages ?? 0) + added.length, bytes, knownTokens };
}

export async function resolveMessage(store: BlobStore, message: Message): Promise<LoadedMessage> {
  if (message.role !== 'tool') {
    const text = message.role === 'assistant' ? message.text + canonicalJson(message.toolCalls) : message.text;
    return { message, prompt: message, bytes: utf8Bytes(text) };
  }
  const results = await Promise.all(
    message.results.map(async (result) => ({
      callId: result.callId,
      name: result.name,
      isError: result.isError,
      text: await resultText(store, result),
    })),
  );
  const bytes = results.reduce((sum, result) => sum + utf8Bytes(result.text), 0);
  return { message, prompt: { role: 'tool', results }, bytes };
}

async function resultText(store: BlobStore, result: ToolResult): Promise<string> {
  return 'text' in result.content ? result.content.text : decoder.decode(await store.get(result.content.ref.hash));
}
