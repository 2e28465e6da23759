import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { suggestMode } from '@bullpen/core';
import { startFakeGateway, type FakeGateway } from '../../test/fake-gateway.js';
import { runCli } from '../../test/fake-terminal.js';

let gateway: FakeGateway;
beforeEach(async () => {
  gateway = await startFakeGateway();
});
afterEach(() => gateway.close());

const run = (args: string[], more: Parameters<typeof runCli>[1] = {}) =>
  runCli(['modes', ...args], { env: { BULLPEN_URL: gateway.url, BULLPEN_API_KEY: 'k1' }, ...more });

describe('modes suggest', () => {
  it('says the mode, how sure it is, and why, without any server', async () => {
    expect(await run(['suggest', 'where is the login code?'])).toMatchObject({
      code: 0,
      out: 'context_navigation  100 %: it says “where is”\n',
    });
    expect(gateway.requests).toEqual([]);
  });

  it('ends with exit code 4 when somebody should be asked', async () => {
    expect(await run(['suggest', '로그인'])).toMatchObject({
      code: 4,
      out: expect.stringContaining('not sure'),
    });
  });

  it('answers a line for each line of stdin, be it a JSON string or the text itself', async () => {
    const texts = ['커밋해줘', 'review my "PR"\nplease'];
    const { code, out } = await run(['suggest', '--stdin', '--json'], {
      stdin: `${texts[0]}\n${JSON.stringify(texts[1])}\n\n`,
    });
    const answers = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect([code, answers]).toEqual([0, texts.map((text) => suggestMode(text))]);
  });

  it('wants a text or --stdin', async () => {
    expect(await run(['suggest'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('Give a text, or --stdin.'),
    });
  });
});
