/** Headers of every answer: the page runs its own scripts alone, nobody frames it, and nothing tells where it was. */
const policy = [
  "default-src 'self'",
  "img-src 'self' data:",
  "style-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const headers: Readonly<Record<string, string>> = {
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/** A document that was written from models' and pages' words: it may style itself, and nothing else. */
export const exportedPagePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; frame-ancestors 'none'";

/** What an answer says itself stands. */
export function addSecurityHeaders(answer: Headers): void {
  for (const [name, value] of Object.entries(headers)) if (!answer.has(name)) answer.set(name, value);
}
