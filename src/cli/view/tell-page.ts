/** Says where the page is, and what it may be used for. */
import type { PageOptions, ServedPage } from '../cli-dependencies.ts';
import type { Output } from '../output/output.ts';

export function tellPage(output: Output, page: ServedPage, options: PageOptions): void {
  const names = Object.keys(options.corpora);
  const notes = [
    ...(options.readOnly ? ['read-only'] : []),
    ...(options.token !== undefined ? ['asks for a token'] : []),
    ...(names.length > 0 ? [`corpora ${names.join(', ')}`] : []),
    ...(page.hasPage ? [] : ['the API alone: the page is not built']),
  ];
  output.note(`page      ${page.url}${notes.length > 0 ? ` (${notes.join('; ')})` : ''}`);
}
