/** HTML by template: what is put in is text and is escaped, unless a template made it. */

export type SafeHtml = { readonly html: string };
type Part = string | number | SafeHtml | null | readonly Part[];

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** `null` is nothing; a list is its parts one after the other. Attributes must stand in double quotes. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): SafeHtml {
  return { html: texts.reduce((all, text, index) => all + toHtml(parts[index - 1] ?? null) + text) };
}

function toHtml(part: Part): string {
  if (part === null) return '';
  if (typeof part === 'number') return String(part);
  if (typeof part === 'string') return part.replace(/[&<>"']/g, (sign) => escapes[sign]!);
  return 'html' in part ? part.html : part.map(toHtml).join('');
}
