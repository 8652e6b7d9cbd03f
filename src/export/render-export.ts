/** An exported run in one of its formats. */
import type { ExportFormat, RunExport } from '../contract/run-export.ts';
import type { RunEvent } from '../contract/run-view.ts';
import { renderHtml } from './render-html.ts';
import { renderMarkdown } from './render-markdown.ts';
import { toRunDocument } from './run-document.ts';

// JSON leaves C1 controls as they are, and some terminals obey them.
const controls = /[\u007f-\u009f]/g;

/** Text that ends with a line break. The same run gives the same text. */
export function renderExport(run: RunExport, format: ExportFormat): string {
  switch (format) {
    case 'md':
      return renderMarkdown(toRunDocument(run));
    case 'html':
      return renderHtml(toRunDocument(run));
    case 'json':
      return `${toJson(run, 2)}\n`;
    case 'jsonl':
      return run.events.map((event) => `${toJson(inOrder(event))}\n`).join('');
    default:
      return format satisfies never;
  }
}

/** Readers of a stream look at the type first. */
function inOrder({ type, ...rest }: RunEvent): object {
  return { type, ...rest };
}

function toJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(
    controls,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
