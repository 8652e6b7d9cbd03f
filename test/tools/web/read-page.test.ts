import { describe, expect, test } from '@jest/globals';
import { readPage } from '../../../src/tools/web/read-page.ts';
import { makePdf } from '../corpus-folder.ts';

const url = 'https://example.org/a/page';
const read = (contentType: string, body: string | Uint8Array) =>
  readPage({
    url,
    contentType,
    bytes: typeof body === 'string' ? new TextEncoder().encode(body) : body,
  });
const textOf = async (...args: Parameters<typeof read>) => (await read(...args)).document.text;
const latin1 = (text: string) => Buffer.from(text, 'latin1');

describe('the characters of a page', () => {
  test.each([
    ['by the header', 'text/plain; charset=iso-8859-1', latin1('Stra\xdfe')],
    ['by a quoted header', 'text/plain; charset="windows-1252"; x=y', latin1('Stra\xdfe')],
    ['by a header that nobody knows, as UTF-8', 'text/plain; charset=klingon', 'Straße'],
    ['by the byte order mark, whatever the header says', 'text/plain; charset=utf-8', utf16('Straße')],
    [
      'by the declaration of XML',
      'application/xml',
      latin1('<?xml version="1.0" encoding="ISO-8859-1"?><a>Stra\xdfe</a>'),
    ],
    [
      'by the meta element',
      'text/html',
      latin1('<html><head><meta charset=windows-1252></head><body><p>Stra\xdfe</p>'),
    ],
    [
      'by the long form of it',
      'text/html',
      latin1(
        '<html><head><meta http-equiv="content-type" content="text/html; charset=ISO-8859-1"></head><body><p>Stra\xdfe</p>',
      ),
    ],
    ['as UTF-8 where a page claims two-byte units', 'text/html', '<meta charset="utf-16"><body><p>Straße</p>'],
    ['not by a meta element that plain text speaks of', 'text/plain', '<meta charset="windows-1252"> Straße'],
    ['in Japanese', 'text/plain; charset=shift_jis', Uint8Array.from([0x93, 0x8c, 0x8b, 0x9e, ...latin1(' Straße')])],
  ])('are read %s', async (_, type, body) => {
    expect(await textOf(type, body)).toMatch(type.includes('jis') ? /東京/ : /Straße/);
  });

  test('are well-formed and without NUL, whatever the bytes are', async () => {
    const bytes = Uint8Array.from([
      ...latin1('words \xff\xfe\xed\xa0\x80 and '),
      ...Array<number>(2_000).fill(97),
      0,
      98,
    ]);
    const text = await textOf('text/plain', bytes);
    expect(text.isWellFormed()).toBe(true);
    expect(text).not.toContain('\0');
  });
});

describe('the type of a page', () => {
  test.each([
    [
      'application/xhtml+xml',
      '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>T</title></head><body><p>Words.</p></body></html>',
    ],
    ['text/html', '<!doctype html><meta charset=utf-8><title>T</title><body><p>Words.</p>'],
    ['text/html', '<html><head><title>T</title><body><p>Words.</p></body></html>'],
    ['', '<!doctype html><html><head><title>T</title></head><body><p>Words.</p></body></html>'],
    ['text/markdown', '---\ntitle: T\n---\n\n**Words.**'],
  ])('%s: %s gives its title and words', async (type, body) => {
    expect((await read(type, body)).document).toMatchObject({ title: 'T', text: 'Words.' });
  });

  test.each([
    ['text/plain', 'Plain words.'],
    ['text/html', 'Words alone'],
    ['application/ld+json', '{"words": 1}'],
    ['application/rss+xml', '<rss><title>words</title></rss>'],
  ])('%s is read as it stands', async (type, body) => {
    expect(await textOf(type, body)).toBe(body);
  });

  test('a PDF is read, also where it says to be something else', async () => {
    expect(await textOf('application/pdf', makePdf(['The first page.']))).toContain('The first page.');
    expect(await textOf('application/octet-stream', makePdf(['The first page.']))).toContain('The first page.');
  });

  test.each([
    ['image/png', 'x', /image\/png is no text/],
    ['application/zip', 'PK', /application\/zip is no text/],
    ['<script>', 'x', /type unknown is no text/],
    ['', Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0]), /is no text/],
    ['application/pdf', 'not a pdf', /the PDF could not be read/],
    ['text/html', '<html><body><script>x()</script></body></html>', /holds no text/],
    ['text/plain', '   ', /holds no text/],
  ])('%s with %j is refused in words', async (type, body, words) => {
    await expect(read(type, body)).rejects.toThrow(words);
  });
});

test('a title holds no control characters, and a page without one is called by its address', async () => {
  const page = (title: string) => `<html><head><title>${title}</title></head><body><p>Words.</p></body></html>`;
  expect((await read('text/html', page('A\u001b[31m red\u0007 title'))).document.title).toBe('A[31m red title');
  expect((await read('text/html', page(''))).document.title).toBe('example.org/a/page');
});

test('a very long page is read from its beginning, and says so', async () => {
  const long = await read(
    'text/html',
    `<html><head></head><body>${'<p>Words and words.</p>'.repeat(60_000)}</body></html>`,
  );
  expect(long.isCut).toBe(true);
  expect(long.document.text.length).toBeGreaterThan(100_000);
  expect((await read('text/plain', 'Words.')).isCut).toBe(false);
});

test.each([
  ['elements nested without end', 'text/html', `<body>${'<div>'.repeat(60_000)}words`],
  ['comments that never end', 'text/markdown', '<!--'.repeat(500_000)],
])('a page that would hold the worker for minutes is given up: %s', async (_, type, body) => {
  await expect(read(type, body)).rejects.toThrow(/built in a way/);
  // What was stopped in the middle leaves nothing behind.
  expect(await textOf(type, type === 'text/html' ? '<body><p>Words.</p>' : 'Words.')).toBe('Words.');
});

function utf16(text: string): Uint8Array {
  return Uint8Array.from([0xff, 0xfe, ...Buffer.from(text, 'utf16le')]);
}
