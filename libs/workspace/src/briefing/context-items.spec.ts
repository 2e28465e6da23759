import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ContextItem, HostRules, Media } from '@bullpen/contracts';
import { mediaFacts } from '@bullpen/core';
import { pngHead } from '@bullpen/testing';
import { readPage } from '../network/read-page.js';
import { contextItems } from './context-items.js';
import { environmentText } from './environment.js';
import { problem } from './read-text.js';

const never = new AbortController().signal;
let workspace: string;
beforeEach(() => {
  workspace = realpathSync(mkdtempSync(join(tmpdir(), 'bullpen-items-')));
});
afterEach(() => rmSync(workspace, { recursive: true, force: true }));

function put(path: string, content: string | Buffer): void {
  mkdirSync(dirname(join(workspace, path)), { recursive: true });
  writeFileSync(join(workspace, path), content);
}

/** What is kept in these tests. */
const media = new Map<string, Media>();
const kept = {
  describe: (sha256: string) => Promise.resolve(media.get(sha256) ?? null),
  keep: (content: Uint8Array) => {
    const facts = mediaFacts(content);
    const one = facts && { sha256: createHash('sha256').update(content).digest('hex'), ...facts };
    if (one) media.set(one.sha256, one);
    return Promise.resolve(one);
  },
};

const given = (...items: ContextItem[]) =>
  contextItems(
    items,
    { workspacePath: workspace, readPage: () => Promise.resolve(problem('no network')), media: kept },
    never,
  );

describe('context items', () => {
  it('are pictures as well: kept ones, and files of the workspace that the provider takes', async () => {
    put('shot.png', pngHead(320, 200));
    put('huge.png', pngHead(9_000, 20));
    put('fake.png', Buffer.from([0, 1, 2]));
    const { sha256 } = (await kept.keep(pngHead(64, 32))) ?? { sha256: '' };
    const items = await given(
      { kind: 'attachment', sha256, name: 'logo.png' },
      { kind: 'attachment', sha256: 'f'.repeat(64) },
      ...['shot.png', 'huge.png', 'fake.png'].map((path) => ({ kind: 'file' as const, path })),
    );
    expect(items).toMatchObject([
      { name: 'logo.png', text: 'image (png), 64x32, 33 bytes', problem: null, media: { width: 64 } },
      { name: 'attachment', text: '', problem: 'it is not stored any more' },
      { name: 'shot.png', text: 'image (png), 320x200, 33 bytes', media: { height: 200 } },
      { name: 'huge.png', problem: expect.stringContaining('8000 pixels on an edge') },
      { name: 'fake.png', problem: 'it is not UTF-8 text' },
    ]);
    expect(items.filter(({ media: one }) => one !== undefined)).toHaveLength(2);
    expect(JSON.stringify(items)).not.toContain('content');
  });

  it('are texts, files, and the files of a folder under their names, without what is ignored or no text', async () => {
    put('a.md', 'One.');
    put('docs/b.md', 'Two.');
    put('docs/deep/c.md', 'Three.');
    put('docs/logo.png', Buffer.from([0, 1, 2]));
    put('docs/secret.md', 'No.');
    put('.gitignore', 'secret.md\n');
    const [text, file, folder] = await given(
      { kind: 'text', text: 'Mind the gap.', title: 'Note' },
      { kind: 'file', path: 'a.md' },
      { kind: 'folder', path: './docs/' },
    );
    expect(text).toMatchObject({ name: 'Note', text: 'Mind the gap.', problem: null });
    expect(file).toMatchObject({ name: 'a.md', text: 'One.', bytes: 4, cut: false });
    expect(folder).toMatchObject({
      text: '## docs/b.md\nTwo.\n## docs/deep/c.md\nThree.',
      cut: true,
      problem: '1 of 3 files are not above, for their size or because they hold no text: docs/logo.png',
    });
  });

  it('say what is wrong with them, and none of them stops the others', async () => {
    const found = await given(
      { kind: 'file', path: 'none.md' },
      { kind: 'file', path: '../etc/passwd' },
      { kind: 'folder', path: '../..' },
      { kind: 'folder', path: 'none' },
      { kind: 'url', url: 'https://example.com' },
      { kind: 'text', text: 'Still here.' },
    );
    expect(found.map(({ text, problem }) => text || problem)).toEqual([
      'there is no file "none.md" in the workspace',
      expect.stringContaining('outside'),
      expect.stringContaining('outside'),
      expect.stringContaining('cannot be read'),
      'no network',
      'Still here.',
    ]);
  });

  it('are cut in none of their characters, say so, and share what room there is', async () => {
    put('long.md', '가나다라마바사. '.repeat(8_000));
    const items = await given(
      ...Array.from({ length: 4 }, (): ContextItem => ({ kind: 'file', path: 'long.md' })),
    );
    const sizes = items.map(({ text }) => Buffer.byteLength(text));
    expect(sizes.slice(0, 3).every((size) => size > 99_990 && size <= 100_000)).toBe(true);
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(300_000);
    expect(items[0]).toMatchObject({
      cut: true,
      problem: expect.stringMatching(/^cut here: .* the rest is in "long.md"$/),
    });
    expect(items[0]?.text).not.toContain('\ufffd');
  });
});

describe('the text of a page', () => {
  let server: Server;
  let origin: string;
  let answer: RequestListener;
  beforeEach(async () => {
    server = createServer((request, response) => answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://pages.test:${(server.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const read = (
    url: string,
    { allowed = ['127.0.0.0/8'], deny = [] as string[], lookup = '127.0.0.1' } = {},
  ) => {
    const network: HostRules = { allow: [], deny };
    const addresses = { allowed, lookup: () => Promise.resolve([{ address: lookup, family: 4 as const }]) };
    return readPage(url, 100_000, { network, addresses }, never);
  };

  it('is its text without markup, unpacked, through redirects', async () => {
    const html = '<html><script>evil()</script><h1>Ports</h1><p>Use <a href="/x">8080</a>.</p></html>';
    answer = (request, response) => {
      if (request.url === '/old') return response.writeHead(302, { location: '/new' }).end();
      return response
        .writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-encoding': 'gzip' })
        .end(gzipSync(html));
    };
    const page = await read(`${origin}/old`);
    expect(page.text).toMatch(/ports\s+Use 8080\./i);
    expect(page.text).not.toContain('evil');
  });

  it.each([
    ['a private address', '10.0.0.7', {}],
    ['the metadata service of a cloud', '169.254.169.254', {}],
    ['this machine', '127.0.0.1', { allowed: [] }],
  ])('is not read from %s, whatever its name is', async (_, lookup, rules) => {
    answer = () => {
      throw new Error('reached');
    };
    expect(await read('http://harmless.test/', { allowed: [], ...rules, lookup })).toMatchObject({
      text: '',
      problem: expect.stringContaining('not a public address'),
    });
  });

  it('is not read where a redirect leads to what may not be reached, or the policy denies it', async () => {
    answer = (_, response) => response.writeHead(302, { location: 'http://[::1]:1/' }).end();
    expect((await read(origin)).problem).toContain('not a public address');
    answer = (_, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end();
    expect((await read(origin)).problem).toContain('file: is not read');
    expect((await read(origin, { deny: ['pages.test'] })).problem).toContain('denied by the policy');
    expect((await read(origin, { deny: ['*'] })).problem).toContain('denied by the policy');
    answer = (_, response) => response.writeHead(302, { location: '/' }).end();
    expect((await read(origin)).problem).toContain('redirects');
  });

  it('says what is wrong: no text, another status, a name that is unknown, a connection that breaks', async () => {
    answer = (_, response) => response.writeHead(200, { 'content-type': 'image/png' }).end('x');
    expect((await read(origin)).problem).toContain('image/png, not text');
    answer = (_, response) => response.writeHead(404).end();
    expect((await read(origin)).problem).toContain('404');
    answer = (request) => request.socket.destroy();
    expect((await read(origin)).problem).not.toBeNull();
    expect((await read('http://user:pw@pages.test/')).problem).toContain('password');
  });

  it('is read only so far, however small it was packed', async () => {
    answer = (_, response) =>
      response
        .writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' })
        .end(gzipSync(Buffer.alloc(50_000_000, 'a')));
    const page = await read(origin);
    expect(page).toMatchObject({ cut: true, problem: expect.stringContaining('only the first') });
    expect(page.text.length).toBeLessThanOrEqual(100_000);
  });
});

describe('the environment', () => {
  const facts = {
    commandPath: '/usr/bin:/bin',
    commands: 'each in a new bash',
    gitPath: '/usr/bin:/bin',
    now: new Date(0),
  };
  const text = (runs = true) =>
    environmentText(
      { ...facts, workspacePath: workspace, ...(runs ? {} : { commandPath: null, commands: null }) },
      never,
    );

  it('names system, folder, date, programs, and the checks of the project', async () => {
    put('package.json', JSON.stringify({ scripts: { test: 'jest', start: 'x', lint: 'eslint' } }));
    put('pnpm-lock.yaml', '');
    put('Makefile', 'all:\n\ntest: all\n');
    expect(await text()).toMatch(/^System: Linux/);
    expect(await text()).toContain('Date: 1970-01-01');
    expect(await text()).toContain('(not tried): pnpm run lint; pnpm run test; make test');
    expect(await text(false)).not.toMatch(/Commands|Programs|Checks/);
  });

  it('looks at no repository whose settings would run something', async () => {
    put('.git/config', '[core]\n\tfsmonitor = "touch /tmp/pwned"\n');
    expect(await text()).toContain('Git: a repository with settings of its own');
  });
});
