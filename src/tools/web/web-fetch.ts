/** `web_fetch`: a page of the public web as text that can be quoted. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { defaults } from '../../contract/defaults.ts';
import type { WebPolicy } from '../../contract/request.ts';
import { toReadingHead } from '../../domain/corpus-reading.ts';
import { readPassage } from '../corpus/read-passage.ts';
import { defineTool, type Tool } from '../tool.ts';
import type { WebSettings } from './create-web-tools.ts';
import { fetchPage } from './fetch-page.ts';
import { resolveName } from './public-dispatcher.ts';
import { readPage } from './read-page.ts';

/** A whole answer stays under the cap that a run puts on tool outputs. */
const maxAnswerChars = defaults.toolOutputChars;
/** For what the head says of parts and cuts. */
const roomForPart = 300;

export function createWebFetchTool(settings: WebSettings, policy: WebPolicy): Tool {
  const { proxyFor, exemptForTests = [], resolve = resolveName } = settings;
  const rules = { policy, exemptForTests, resolve, proxyFor };
  return defineTool({
    name: 'web_fetch',
    description: `Reads a page of the public web as text: HTML, plain text, Markdown, JSON, XML or PDF. The first line of the answer is "source: <id> | <title> | <url>"; cite that id, and quote the words as they stand below it. Long pages come in parts.${describeSites(policy)}`,
    effect: 'read',
    input: z.object({
      url: z.string().min(1).max(4_096).describe('address of the page, with http:// or https://'),
      offset: z.number().int().min(0).optional().describe('where to go on in a page that comes in parts'),
    }),
    async run({ url, offset }, { signal }) {
      const page = await fetchPage(url, rules, signal);
      const { document, isCut } = await readPage(page);
      signal.throwIfAborted();
      const source = { id: toSourceId(page.url), url: page.url, title: document.title };
      const head = [toReadingHead({ sourceId: source.id, ...source })];
      const passage = readPassage(document, { offset, maxChars: maxAnswerChars - head[0]!.length - roomForPart });
      if (isCut) head.push('cut: the page is very long, and only its beginning can be read');
      if (passage.offset > 0 || passage.nextOffset !== null) {
        const rest = passage.nextOffset === null ? 'the end' : `go on with offset ${passage.nextOffset}`;
        head.push(
          `part: characters ${passage.offset} to ${passage.offset + passage.text.length} of ${passage.totalChars}; ${rest}`,
        );
      }
      return { text: `${head.join('\n')}\n\n${passage.text}`, sources: [source] };
    },
  });
}

/** The same page has the same id in every run. */
function toSourceId(url: string): string {
  return `w-${createHash('sha256').update(url).digest('hex').slice(0, 10)}`;
}

function describeSites({ sites }: WebPolicy): string {
  return sites.length === 0 ? '' : ` Only pages of ${sites.join(', ')} can be read.`;
}
