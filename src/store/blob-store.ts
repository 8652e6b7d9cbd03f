/** The port of the store: content-addressed blobs. A reference is only given out once its bytes are durable. */
import type { BlobRef } from '../contract/transcript.ts';

export interface BlobStore {
  /** Names this store; two folders never share one. It travels with a run, so that another store is noticed. */
  id(): Promise<string>;
  /** Durable when it resolves. Storing what exists renews it. */
  put(bytes: Uint8Array): Promise<BlobRef>;
  /** Rejects with `TRANSCRIPT_MISSING` where the store does not have it. */
  get(hash: string): Promise<Uint8Array>;
}
