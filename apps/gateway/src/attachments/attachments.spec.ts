/** Attachments over HTTP: what is kept, what is refused, and how they are shown. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Media } from '@bullpen/contracts';
import { pngHead } from '@bullpen/testing';
import { problemFrom, startTestGateway, type TestGateway } from '../testing/test-gateway.js';

let bullpen: TestGateway;
beforeAll(async () => {
  bullpen = await startTestGateway();
});
afterAll(() => bullpen?.close());

const pdf = (pages: number) => Buffer.from(`%PDF-1.4\n${'<< /Type /Page >>'.repeat(pages)}`);
const post = (content: Buffer) => bullpen.post('/v1/attachments', { data: content.toString('base64') });
const keep = async (content: Buffer) => Media.parse(await (await post(content)).json());
const attach = (...sha256s: string[]) =>
  bullpen.post('/v1/tasks', {
    ...{ prompt: 'look', model: 'claude-haiku-4-5' },
    contextItems: sha256s.map((sha256) => ({ kind: 'attachment', sha256 })),
  });

describe('attachments', () => {
  it('are kept once, whoever brings them again, and say what they are', async () => {
    const first = await keep(pngHead(320, 200));
    expect(first).toMatchObject({ mediaType: 'image/png', bytes: 33, width: 320, height: 200, pages: null });
    expect(await keep(pngHead(320, 200))).toEqual(first);
    const { rows } = await bullpen.pool.query('SELECT FROM attachments WHERE sha256 = $1', [first.sha256]);
    expect(rows).toHaveLength(1);
    expect((await attach(first.sha256)).status).toBe(201);
  });

  it('are shown under their own type, as nothing that can run, and to nobody else', async () => {
    const content = pngHead(8, 8, 300);
    const { sha256 } = await keep(content);
    const shown = await bullpen.call(`/v1/attachments/${sha256}`);
    expect(Buffer.from(await shown.arrayBuffer())).toEqual(content);
    expect(Object.fromEntries(shown.headers)).toMatchObject({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'content-disposition': 'inline',
    });
    const paper = await bullpen.call(`/v1/attachments/${(await keep(pdf(1))).sha256}`);
    expect(paper.headers.get('content-disposition')).toMatch(/^attachment;/);
    expect((await bullpen.call(`/v1/attachments/${sha256}`, { key: bullpen.otherKey })).status).toBe(404);
    expect((await bullpen.call('/v1/attachments/nonsense')).status).toBe(404);
  });

  it.each([
    ['what is no base64', 'no base64!', 'is not base64'],
    ['a drawing that may hold scripts', Buffer.from('<svg onload="x()"/>').toString('base64'), 'no PNG'],
    ['a page that calls itself a picture', Buffer.from('<html>').toString('base64'), 'no PNG'],
    ['more pixels than the provider takes', pngHead(9_000, 10).toString('base64'), '8000 pixels'],
    ['more bytes than the provider takes', pngHead(10, 10, 4_000_000).toString('base64'), 'bytes'],
  ])('are refused when they are %s, and the field is named', async (_, data, said) => {
    const problem = await problemFrom(await bullpen.post('/v1/attachments', { data }));
    expect(problem).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(problem.errors).toEqual([{ pointer: '/data', detail: expect.stringContaining(said) }]);
  });

  it('are refused with a task before there is one, when they are not there or more than its model takes', async () => {
    const { sha256 } = await keep(pngHead(4, 4));
    const unknown = await problemFrom(await attach(sha256, 'f'.repeat(64)));
    expect(unknown.errors).toMatchObject([{ pointer: '/contextItems/1/sha256' }]);
    const papers = [await keep(pdf(60)), await keep(pdf(41))].map(({ sha256: name }) => name);
    const tooMany = await problemFrom(await attach(...papers));
    expect(tooMany.errors).toEqual([
      { pointer: '/contextItems', detail: expect.stringContaining('100 pages') },
    ]);
  });
});
