/** Forbidden addresses get no connection (CASES B61): listeners on this machine count. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { connect } from 'node:net';
import { anySite, openTools, page, startSite, startTrap, type Site } from './web-world.ts';

let trap: Awaited<ReturnType<typeof startTrap>>;
let site: Site;
/** Where the redirecting site points to next. */
let location = '';
let status = 302;

beforeAll(async () => {
  trap = await startTrap();
  site = await startSite((request, response) => {
    if (request.url === '/page') response.end(page('Some words.'));
    else response.writeHead(status, { location: request.url === '/loop' ? '/loop' : location }).end();
  });
});
afterAll(async () => {
  await trap.close();
  await site.close();
});

const fetchWith = (settings: Parameters<typeof openTools>[0] = {}) => openTools(settings)('web_fetch');
const at = (host: string) => `http://${host}:${trap.port}/`;
const hosts = [
  ['of this machine', '127.0.0.1', '127.8.9.10', 'localhost', 'LOCALHOST', 'localhost.', 'localhost..', 'a.localhost'],
  ['in another spelling', '2130706433', '0x7f.1', '0x7f000001', '0177.0.0.1', '127.1', '127.0.0.1.', '①②⑦.0.0.1'],
  ['percent-encoded', '%31%32%37.0.0.1', 'local%68ost'],
  ['unspecified', '0', '0.0.0.0', '0.1.2.3', '[::]'],
  ['of this machine in IPv6', '[::1]', '[0:0:0:0:0:0:0:1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]'],
  ['private', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.0.1', '[fd00::1]', '[fec0::1]'],
  ['link-local', '169.254.169.254', '169.254.0.1', '[fe80::1]', '[fd00:ec2::254]', '168.63.129.16'],
  [
    'shared, reserved, for documents',
    '100.64.0.1',
    '192.0.0.192',
    '198.18.0.1',
    '203.0.113.5',
    '[2001:db8::1]',
    '240.0.0.1',
  ],
  ['of many', '224.0.0.1', '255.255.255.255', '[ff02::1]'],
  [
    'of IPv6 around IPv4',
    '[64:ff9b::7f00:1]',
    '[64:ff9b:1::a00:1]',
    '[2002:7f00:1::]',
    '[2001:0:7f00:1::]',
    '[::ffff:0:7f00:1]',
  ],
  ['outside of what IPv6 gives out', '[4000::1]', '[5f00::1]', '[100::1]'],
  ['named for inside', 'router', 'printer.local', 'metadata.google.internal', 'nas.home.arpa'],
].flatMap(([kind, ...names]) => names.map((host) => [kind!, host] as const));

describe('no socket is opened', () => {
  test.each(hosts)('to an address %s: %s', async (_, host) => {
    for (const scheme of ['http', 'https']) {
      const fetching = fetchWith()({ url: `${scheme}://${host}:${trap.port}/` });
      await expect(fetching).rejects.toThrow(/^not fetched: .*no public address/);
      await expect(fetching).rejects.not.toMatchObject({ code: 'TOOL_FAILED' });
    }
  });

  test.each(['file:///etc/passwd', 'ftp://127.0.0.1/', 'data:text/plain,hi', 'gopher://127.0.0.1/', 'javascript:1'])(
    'for %s',
    async (url) => {
      await expect(fetchWith()({ url })).rejects.toThrow(/^not fetched: only http and https/);
    },
  );

  test.each([
    ['http://user:pass@example.org/', /user or a password/],
    ['http://example.org@127.0.0.1/', /user or a password/],
    ['http://[fe80::1%25eth0]/', /no absolute address/],
    ['//example.org', /no absolute address/],
    ['nonsense', /no absolute address/],
  ])('for %s', async (url, words) => {
    await expect(fetchWith()({ url })).rejects.toThrow(words);
  });

  test.each([
    ['a private address', ['127.0.0.1']],
    ['a private IPv6 address', ['::1']],
    ['a public and a private address', ['93.184.216.34', '127.0.0.1']],
    ['the address of cloud metadata', ['169.254.169.254']],
  ])('to a public name that resolves to %s', async (_, addresses) => {
    const resolve = async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    await expect(fetchWith({ resolve })({ url: at('innocent.example.org') })).rejects.toThrow(/no public address/);
  });

  test('to a name that is public when it is checked and private a moment later: it is asked for once', async () => {
    let asked = 0;
    const controller = new AbortController();
    // Nobody has the first address: it is public, and nothing is there.
    const resolve = async () => [
      { address: (asked += 1) === 1 ? '2000::1' : '127.0.0.1', family: asked === 1 ? 6 : 4 },
    ];
    const fetch = fetchWith({ resolve });
    const fetching = fetch({ url: at('rebinding.example.org') }, controller.signal);
    fetching.catch(() => undefined);
    while (asked === 0) await new Promise((done) => setImmediate(done));
    for (let turn = 0; turn < 20; turn += 1) await new Promise((done) => setImmediate(done));
    controller.abort(new Error('enough'));
    await expect(fetching).rejects.not.toThrow(/no public address/);
    expect(asked).toBe(1);
    await expect(fetch({ url: at('rebinding.example.org') })).rejects.toThrow(/no public address/);
  });

  test('to a name whose meaning comes after the cancel', async () => {
    const controller = new AbortController();
    let answer: () => void = () => undefined;
    const asked = new Promise<void>((onAsked) => {
      const resolve = () =>
        new Promise<{ address: string; family: number }[]>((done) => {
          answer = () => done([{ address: '127.0.0.1', family: 4 }]);
          onAsked();
        });
      const settings = { resolve, exemptForTests: [`slow.example.org:${trap.port}`] };
      fetchWith(settings)({ url: at('slow.example.org') }, controller.signal).catch(() => undefined);
    });
    await asked;
    controller.abort(new Error('cancelled'));
    answer();
    for (let turn = 0; turn < 20; turn += 1) await new Promise((done) => setImmediate(done));
    expect(trap.count()).toBe(0);
  });

  test.each([301, 302, 303, 307, 308])('by a redirect (%i) from a page that may be fetched', async (code) => {
    status = code;
    for (const host of ['127.0.0.1', '[::1]', 'localhost', '169.254.169.254']) {
      location = at(host);
      const fetching = fetchWith({ exemptForTests: [site.host] })({ url: `${site.url}/away` });
      await expect(fetching).rejects.toThrow(/no public address/);
    }
    location = 'http://user:pass@example.org/';
    await expect(fetchWith({ exemptForTests: [site.host] })({ url: `${site.url}/away` })).rejects.toThrow(/a password/);
    location = `http://example.org/${'a'.repeat(4_096)}`;
    await expect(fetchWith({ exemptForTests: [site.host] })({ url: `${site.url}/away` })).rejects.toThrow(/too long/);
    location = 'http://[nonsense/';
    await expect(fetchWith({ exemptForTests: [site.host] })({ url: `${site.url}/away` })).rejects.toThrow(
      /no absolute/,
    );
    location = 'file:///etc/passwd';
    await expect(fetchWith({ exemptForTests: [site.host] })({ url: `${site.url}/away` })).rejects.toThrow(/only http/);
  });

  test('through a proxy either, where the name means a private address here', async () => {
    const proxy = `http://127.0.0.1:${trap.port}`;
    const resolve = async () => [{ address: '10.0.0.1', family: 4 }];
    const fetching = fetchWith({ resolve, proxyFor: () => proxy })({ url: 'http://inside.example.org/' });
    await expect(fetching).rejects.toThrow(/no public address/);
  });
});

test('nothing of all this reached a listener on IPv4 or IPv6, which count each connection', async () => {
  expect(trap.count()).toBe(0);
  for (const host of ['127.0.0.1', '::1']) {
    await new Promise((resolve) => connect(trap.port, host).on('close', resolve).resume());
  }
  expect(trap.count()).toBe(2);
});

test('a redirect loop ends', async () => {
  status = 302;
  const fetching = fetchWith({ exemptForTests: [site.host] })({ url: `${site.url}/loop` });
  await expect(fetching).rejects.toThrow(/redirected more than 5 times/);
});

test('the exemption of a test is for one host and port', async () => {
  for (const exempt of [`localhost:${trap.port}`, `127.0.0.1:${trap.port + 1}`, '127.0.0.1']) {
    const fetching = fetchWith({ exemptForTests: [exempt] })({ url: at('127.0.0.1') });
    await expect(fetching).rejects.toThrow(/no public address/);
  }
  const { text } = await openTools({ exemptForTests: [site.host] }, anySite)('web_fetch')({ url: `${site.url}/page` });
  expect(text).toContain('Some words.');
});
