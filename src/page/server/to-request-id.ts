/** A key by which two requests for one thing are known to be one. Works on plain http too, where `randomUUID` does not. */
export function toRequestId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `page-${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
