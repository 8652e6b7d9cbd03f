/** HTML allows to leave out the tags around head and body, and many pages do; the parser here loses the text of those. */

/** The same page with these tags in place; one without `<body>` is left alone. */
export function completeHtml(text: string): string {
  const bodyAt = text.search(/<body[\s>]/i);
  if (bodyAt < 0) return text;
  const before = text.slice(0, bodyAt);
  if (/<html[\s>]/i.test(before) && /<head[\s>]/i.test(before) && /<\/head\s*>/i.test(before)) return text;
  const head = before.replace(/<!doctype[^>]*>|<\/?(?:html|head)(?:\s[^>]*)?>/gi, '');
  return `<html><head>${head}</head>${text.slice(bodyAt)}`;
}
