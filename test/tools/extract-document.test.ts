import { describe, expect, test } from '@jest/globals';
import { extractDocument } from '../../src/tools/corpus/extract/extract-document.ts';
import { makePdf } from './corpus-folder.ts';

const extract = async (path: string, text: string) => extractDocument(path, new TextEncoder().encode(text));

describe('Markdown', () => {
  test('keeps the words of a paragraph on one line, so that a sentence can be quoted as it stands', async () => {
    const { text } = await extract(
      'a.md',
      '# Title\n\nA **bold** claim with a [link](https://x.example)\nand `code_here`.\n',
    );
    expect(text).toBe('# Title\n\nA bold claim with a link and `code_here`.');
  });

  test('takes the title from the front matter before any heading', async () => {
    const { title } = await extract('a.md', '---\ntitle: "Front"\nlayout: x\n---\n\n# Heading\n\nText.');
    expect(title).toBe('Front');
  });

  test('is named by its file where nothing else names it', async () => {
    expect((await extract('notes/plain.md', 'Only text.')).title).toBe('plain');
  });

  test('keeps code apart from prose and takes no heading from it', async () => {
    const { text, sections } = await extract('a.md', '# A\n\n```sh\n# not a heading\n```\n\nAfter.');
    expect(sections.map(({ heading }) => heading)).toEqual(['A']);
    expect(text).toContain('```\n# not a heading\n```');
  });

  test('ends a section where the next one of its level begins', async () => {
    const { text, sections } = await extract('a.md', '# A\n\n## B\n\nOne.\n\n### C\n\nTwo.\n\n## D\n\nThree.');
    const section = sections.find(({ heading }) => heading === 'B')!;
    expect(text.slice(section.start, section.end)).toBe('## B\n\nOne.\n\n### C\n\nTwo.\n\n');
  });

  test('leaves snake_case and underscored names as they are', async () => {
    expect((await extract('a.md', 'The names max_size and __init__ stay.')).text).toContain('max_size and');
  });
});

describe('reStructuredText', () => {
  const source = [
    'Number: 7',
    'Title: On Things',
    'Status: Final',
    '',
    'Abstract',
    '========',
    '',
    'See :rfc:`2119` and ``code*here``, *emphasis*,',
    'a `link <https://x.example>`_ and a note [1]_. An example::',
    '',
    '    literal = 1',
    '',
    'Details',
    '-------',
    '',
    '.. note::',
    '',
    '   A note is prose.',
    '',
    '.. code-block:: python',
    '',
    '   code = 2',
    '',
    '- first item',
    '- second item',
    '',
  ].join('\n');

  test('reads the title of a header block, underlined headings, roles, literals and directives', async () => {
    const { title, text, sections } = await extract('a.rst', source);
    expect(title).toBe('On Things');
    expect(sections.map(({ heading, level }) => `${level} ${heading}`)).toEqual(['1 Abstract', '2 Details']);
    expect(text).toContain('See RFC 2119 and `code*here`, emphasis, a link and a note. An example:\n');
    expect(text).toContain('```\nliteral = 1\n```');
    expect(text).toContain('\nA note is prose.\n');
    expect(text).toContain('```\ncode = 2\n```');
    expect(text).toContain('- first item\n\n- second item');
  });

  test('takes an overlined heading for another level than an underlined one', async () => {
    const { sections } = await extract('a.rst', '=====\nTitle\n=====\n\nPart\n=====\n\nText.\n');
    expect(sections.map(({ heading, level }) => `${level} ${heading}`)).toEqual(['1 Title', '2 Part']);
  });
});

describe('HTML', () => {
  test('gives title, headings, paragraphs and code, without scripts and navigation', async () => {
    const body = '<nav>Menu</nav><script>evil()</script><h1>Head</h1><p>One <b>two</b>\n three.</p><pre>a\n  b</pre>';
    const { title, text } = await extract('a.html', `<html><head><title>T</title></head><body>${body}</body></html>`);
    expect(title).toBe('T');
    expect(text).toContain('One two three.');
    expect(text).toContain('```\na\n  b\n```');
    expect(text).not.toMatch(/Menu|evil/);
  });

  test('reads a fragment without a body', async () => {
    expect((await extract('a.htm', '<h2>Only</h2><p>A piece of a page.</p>')).text).toContain('A piece of a page.');
  });
});

describe('plain text and PDF', () => {
  test('plain text is titled by a short first line', async () => {
    const { title, text } = await extract('a.txt', 'Notes on bees\n\nBees make\nhoney.\n');
    expect([title, text]).toEqual(['Notes on bees', 'Notes on bees\n\nBees make honey.']);
  });

  test('a PDF has a section a page', async () => {
    const { text, sections } = await extractDocument('a.pdf', makePdf(['The first page.', 'The second page.']));
    expect(sections.map(({ heading }) => heading)).toEqual(['Page 1', 'Page 2']);
    expect(text).toContain('The second page.');
  });

  test('a PDF without text and a file that is no PDF are refused', async () => {
    await expect(extractDocument('a.pdf', makePdf(['']))).rejects.toThrow('no text');
    await expect(extract('a.pdf', 'not a pdf')).rejects.toThrow();
  });
});

describe('what no text should hold', () => {
  test('NUL, broken UTF-8 and lone surrogates do not come through', async () => {
    const bytes = new Uint8Array([...new TextEncoder().encode('# A\n\nOne\0 two '), 0xff, 0xed, 0xa0, 0x80, 0x2e]);
    const { text } = await extractDocument('a.md', bytes);
    expect(text.isWellFormed()).toBe(true);
    expect(text).not.toContain('\0');
    expect(text).toContain('One two');
  });

  test('a binary file under the name of a text is refused, and so is an empty one', async () => {
    const binary = Uint8Array.from({ length: 4_000 }, (_, at) => (at * 7) % 256);
    await expect(extractDocument('a.txt', binary)).rejects.toThrow('binary');
    await expect(extract('a.md', ' \n')).rejects.toThrow('no text');
  });
});
