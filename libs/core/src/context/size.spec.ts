import { createHash } from 'node:crypto';
import type { ContentBlock, Media } from '@bullpen/contracts';
import { describe, expect, it } from '@jest/globals';
import { pngHead } from '@bullpen/testing';
import type { RequestMessage } from '../task/history.js';
import { estimateTokens } from './estimate.js';
import { mediaFacts } from './media.js';
import { contextSize, isOverThreshold, messageTokens, type Measured } from './size.js';

const user = (text: string): RequestMessage => ({ role: 'user', content: [{ type: 'text', text }] });

const request = (messages: readonly RequestMessage[], more: Partial<Measured> = {}): Measured => ({
  system: 'You are an agent.',
  tools: [],
  maxOutputTokens: 4_000,
  messages,
  ...more,
});

const withContent = (content: ContentBlock[]): RequestMessage => ({ role: 'user', content });
function media(content: Buffer): Media {
  const facts = mediaFacts(content);
  if (facts === null) throw new Error('no picture and no PDF');
  return { sha256: createHash('sha256').update(content).digest('hex'), ...facts };
}

describe('the size of a context', () => {
  it('counts what the provider said for what it covers, and estimates only the rest', () => {
    const messages = [user('x '.repeat(5_000)), user('y'), user('three more words')];
    const size = contextSize(request(messages), 20_000, { tokens: 700, messages: 2 });
    expect(size.tokens).toBe(700 + messageTokens(user('three more words')));
    expect(size.isEstimate).toBe(true);
    expect(contextSize(request(messages), 20_000, { tokens: 900, messages: 3 })).toMatchObject({
      tokens: 900,
      isEstimate: false,
    });
  });

  it('shows system prompt, tools and messages apart, and the window without the reserved output', () => {
    const tools = Array.from({ length: 60 }, (_, index) => ({
      name: `mcp_tool_${index}`,
      description: 'Looks something up in a service and gives back what it found. '.repeat(12),
      inputSchema: { type: 'object' },
    }));
    const size = contextSize(request([user('hi')], { tools }), 20_000, null);
    expect(size.tools).toBeGreaterThan(60 * 100);
    expect(size.messages).toBeLessThan(10);
    expect(size.system + size.tools + size.messages).toBe(size.tokens);
    expect(size).toMatchObject({ window: 20_000, reservedOutput: 4_000, budget: 16_000, threshold: 14_400 });
    expect(size.share).toBeCloseTo(size.tokens / 16_000);
    expect(isOverThreshold(contextSize(request([user('hi')], { tools }), 12_000, null))).toBe(true);
  });

  it('takes no figure for more messages than there are', () => {
    expect(contextSize(request([user('hi')]), 20_000, { tokens: 9_000, messages: 2 }).tokens).toBeLessThan(
      50,
    );
  });

  it.each([
    ['1200 x 800, 2.5 MB', pngHead(1_200, 800, 2_500_000), 1_280],
    ['4000 x 3000, scaled down by the provider', pngHead(4_000, 3_000, 10), 1_600],
    ['20 x 20', pngHead(20, 20, 10), 1],
    ['without a size', Buffer.from('ffd8ff', 'hex'), 1_600],
  ])('prices a picture by its pixels, wherever it stands: %s', (_, data, tokens) => {
    const bare = { type: 'tool_result' as const, tool_use_id: 'toolu_1', content: 'ok' };
    const result = { ...bare, media: [media(data)] };
    expect(messageTokens(withContent([result])) - messageTokens(withContent([bare]))).toBe(tokens);
    const picture = { type: 'image' as const, media: media(data) };
    expect(messageTokens(withContent([picture])) - messageTokens(withContent([]))).toBe(tokens);
  });

  it('counts each of forty pictures in one message before the first answer', () => {
    const pictures = Array.from({ length: 40 }, () => ({
      type: 'image' as const,
      media: media(pngHead(1_000, 750, 100)),
    }));
    const size = contextSize(request([withContent(pictures)]), 50_000, null);
    expect(size.messages).toBeGreaterThanOrEqual(40 * 1_000);
    expect(size.share).toBeGreaterThan(0.8);
  });

  it('prices a PDF by its pages', () => {
    const pdf = (pages: number): ContentBlock => ({
      type: 'document',
      media: media(
        Buffer.from(`%PDF-1.4\n${'<< /Type /Page >> '.repeat(pages)}<< /Type /Pages >>${'x'.repeat(90_000)}`),
      ),
    });
    expect(messageTokens(withContent([pdf(5)])) - messageTokens(withContent([]))).toBe(15_000);
  });

  it('reads sizes of JPEG, GIF and WebP', () => {
    const jpeg = Buffer.from(`ffd8ffe00010${'00'.repeat(14)}ffc0001108025803200301${'00'.repeat(20)}`, 'hex');
    const gif = Buffer.from(`474946383961${'e8032c01'}${'00'.repeat(30)}`, 'hex');
    const webp = Buffer.concat([
      Buffer.from('RIFF\0\0\0\0WEBPVP8X'),
      Buffer.from('0a00000000000000e70300f30100', 'hex'),
      Buffer.alloc(20),
    ]);
    const tokens = [jpeg, gif, webp].map(
      (data) => messageTokens(withContent([{ type: 'image', media: media(data) }])) - 4,
    );
    expect(tokens).toEqual([
      Math.ceil((800 * 600) / 750),
      Math.ceil((1_000 * 300) / 750),
      Math.ceil((1_000 * 500) / 750),
    ]);
  });

  it('knows that Korean takes more than English of the same length', () => {
    const korean = '작업이 며칠 동안 계속되면 창을 넘어섭니다. '.repeat(20);
    const english = 'A task that works for days outgrows its window. '.repeat(20);
    expect(estimateTokens(korean) / korean.length).toBeGreaterThan(
      (3 * estimateTokens(english)) / english.length,
    );
  });

  it.each(['', ' ', '\n', '\ud800', '한', '👍', '\0'])(
    'never counts below zero or above a few tokens for %j',
    (text) => {
      expect(estimateTokens(text)).toBeGreaterThanOrEqual(0);
      expect(estimateTokens(text)).toBeLessThanOrEqual(3);
    },
  );

  it('measures a megabyte of any text in linear time', () => {
    const texts = ['a', '!', ' ', '한', '=+', 'aB', '\n ', 'é'].map((piece) =>
      piece.repeat(1_000_000 / piece.length),
    );
    for (const text of texts) expect(estimateTokens(text)).toBeGreaterThan(0);
  });
});
