/** `bullpen search`. */
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { SearchPage } from '@bullpen/contracts';
import { ROOT } from '@bullpen/testing';
import { startFakeGateway, type FakeGateway } from '../../test/fake-gateway.js';
import { runCli } from '../../test/fake-terminal.js';

let gateway: FakeGateway;
beforeEach(async () => {
  gateway = await startFakeGateway();
});
afterEach(() => gateway.close());

it('shows each task with its places on one line, safely', async () => {
  const text = 'first\nthe \u001b[2J설정을 되돌려줘';
  const start = text.indexOf('설정');
  const page: SearchPage = {
    data: [
      {
        ...{ taskId: ROOT, rootId: ROOT, title: 'Undo', agent: 'general', state: 'completed', hitCount: 1 },
        createdAt: '2026-01-01T00:00:00.000Z',
        hits: [
          {
            ...{
              field: 'prompt',
              seq: 1,
              at: '2026-01-01T00:00:00.000Z',
              text,
              cutBefore: true,
              cutAfter: false,
            },
            marks: [{ start, end: start + 2 }],
          },
        ],
      },
    ],
    nextCursor: null,
    hasMore: false,
  };
  gateway.answers.set('/v1/search', page);
  const env = { BULLPEN_URL: gateway.url, BULLPEN_API_KEY: 'k1' };
  const { out, code } = await runCli(['search', '설정', '되돌'], { env });
  expect(code).toBe(0);
  expect(out).toBe(`${ROOT}  completed  Undo\n  prompt: …first the 설정을 되돌려줘\n`);
});
