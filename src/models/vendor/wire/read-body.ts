/** Reads an answer up to a bound, so that no server can fill the memory of a worker. */

/** Far above any answer of a model in text, and far below what hurts. */
export const maxBodyBytes = 32 * 1024 * 1024;

/** The body as text; `null` where it is longer than the bound, by which time its connection is given up. */
export async function readBody(body: ReadableStream<Uint8Array> | null): Promise<string | null> {
  if (body === null) return '';
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > maxBodyBytes) {
      await reader.cancel().catch(() => {});
      return null;
    }
    text += decoder.decode(value, { stream: true });
  }
}
