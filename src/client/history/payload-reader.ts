/** Decodes payloads by the client's converter and codec. What cannot be read is `null` and a note. */
import type { LoadedDataConverter } from '@temporalio/common';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow/codec-helpers.js';
import { type HistoryEvent, type Payloads, toNumber } from './event-parts.ts';

export type PayloadReader = {
  readonly readAll: (payloads: Payloads, event: HistoryEvent) => Promise<unknown[] | null>;
  /** The first one; `null` where there is none. */
  readonly readOne: (payloads: Payloads, event: HistoryEvent) => Promise<unknown>;
  readonly notes: readonly string[];
};

/** `whose` = the workflow id, for the notes. */
export function createPayloadReader(converter: LoadedDataConverter, whose: string): PayloadReader {
  const notes: string[] = [];
  const readAll: PayloadReader['readAll'] = async (payloads, event) => {
    try {
      return await decodeArrayFromPayloads(converter, payloads?.payloads ?? undefined);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      notes.push(`event ${toNumber(event.eventId)} of ${whose} could not be read: ${why}`);
      return null;
    }
  };
  return { readAll, readOne: async (payloads, event) => (await readAll(payloads, event))?.[0] ?? null, notes };
}
