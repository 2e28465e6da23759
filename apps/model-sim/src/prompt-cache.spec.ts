import { describe, expect, it } from '@jest/globals';
import { PromptCache } from './prompt-cache.js';
import { TokenCount } from './tokens.js';
import type { ContentBlock, MessagesRequest, ToolDefinition } from './wire.js';

const MARK = { cache_control: { type: 'ephemeral' as const } };
const LONG = 'prefix '.repeat(1_000); // 7,000 characters: 2,000 tokens
const TOOL: ToolDefinition = { name: 'look', input_schema: { type: 'object' } };

function request(content: ContentBlock[], overrides: Partial<MessagesRequest> = {}): MessagesRequest {
  return { model: 'claude-sonnet-5-5', max_tokens: 10, messages: [{ role: 'user', content }], ...overrides };
}

function text(value: string, mark: object = {}): ContentBlock {
  return { type: 'text', text: value, ...mark };
}

/** Sends requests one after the other, each at its minute, and gives read and written tokens of each. */
function use(
  ...steps: Array<[minute: number, request: MessagesRequest]>
): Array<{ read: number; created: number; rest: number }> {
  let minute = 0;
  const cache = new PromptCache(() => minute * 60_000);
  return steps.map(([at, body]) => {
    minute = at;
    const { usage, commit } = cache.lookup(body);
    commit();
    const { cache_read_input_tokens: read, cache_creation_input_tokens: created, input_tokens: rest } = usage;
    expect(read + created + rest).toBe(new TokenCount().request(body));
    return { read, created, rest };
  });
}

const MARKED = request([text(LONG, MARK), text('And a question.')]);

describe('PromptCache', () => {
  it('writes at the first use and reads at the second', () => {
    expect(use([0, MARKED], [1, MARKED])).toEqual([
      { read: 0, created: 2_000, rest: 8 },
      { read: 2_000, created: 0, rest: 8 },
    ]);
  });

  it('forgets after five minutes, counted from the last use', () => {
    const reads = use([0, MARKED], [4, MARKED], [8, MARKED], [14, MARKED]).map(({ read }) => read);
    expect(reads).toEqual([0, 2_000, 2_000, 0]);
  });

  it('keeps an entry that only longer prompts use', () => {
    const longer = request([text(LONG), text('And more.', MARK)]);
    expect(use([0, MARKED], [4, longer], [8, MARKED]).map(({ read }) => read)).toEqual([0, 2_000, 2_000]);
  });

  it('keeps an entry of one hour that long, and says which kind was written', () => {
    const hour = request([text(LONG, { cache_control: { type: 'ephemeral', ttl: '1h' } })]);
    expect(use([0, hour], [59, hour]).map(({ read }) => read)).toEqual([0, 2_000]);
    expect(new PromptCache(() => 0).lookup(hour).usage.cache_creation).toEqual({
      ephemeral_5m_input_tokens: 0,
      ephemeral_1h_input_tokens: 2_000,
    });
  });

  it('does not cache a prefix under 1,024 tokens', () => {
    const short = request([text('x'.repeat(3_000), MARK)]);
    expect(use([0, short], [0, short])).toEqual([
      { read: 0, created: 0, rest: 861 },
      { read: 0, created: 0, rest: 861 },
    ]);
  });

  it.each([
    ['claude-opus-5', 512],
    ['claude-fable-5-1', 512],
    ['claude-sonnet-4-6', 1_024],
    ['claude-opus-4-8', 1_024],
    ['claude-opus-4-7', 2_048],
    ['claude-opus-4-6', 4_096],
    ['claude-haiku-4-5-20251001', 4_096],
  ])('caches for %s from %i tokens on', (model, minimum) => {
    const of = (tokens: number) => request([text('x'.repeat(tokens * 3.5), MARK)], { model });
    expect(use([0, of(minimum - 2)])[0]?.created).toBe(0);
    expect(use([0, of(minimum)])[0]?.created).toBe(minimum);
  });

  it('extends the longest prefix that it knows', () => {
    const longer = request([text(LONG), text('more '.repeat(700), MARK)]);
    expect(use([0, MARKED], [0, longer])[1]).toEqual({ read: 2_000, created: 1_000, rest: 3 });
  });

  it('looks back twenty blocks and no further', () => {
    const grown = (blocks: number): MessagesRequest =>
      request([
        text(LONG),
        ...Array.from({ length: blocks }, (_none, index) => text(`b${index}`)),
        text('end', MARK),
      ]);
    expect(use([0, MARKED], [0, grown(19)])[1]?.read).toBe(2_000);
    expect(use([0, MARKED], [0, grown(20)])[1]?.read).toBe(0);
  });

  it('is bound to model and tools, and for messages to tool_choice', () => {
    const withTools = { ...MARKED, tools: [{ ...TOOL, description: LONG, ...MARK }] };
    const readAfter = (change: Partial<MessagesRequest>): number =>
      use([0, withTools], [0, { ...withTools, ...change }])[1]?.read ?? 0;
    expect(readAfter({})).toBeGreaterThan(4_000);
    expect(readAfter({ model: 'claude-opus-5' })).toBe(0);
    expect(readAfter({ tools: [TOOL] })).toBe(0);
    const toolsOnly = readAfter({ tool_choice: { type: 'none' } });
    expect(toolsOnly).toBeGreaterThan(2_000);
    expect(toolsOnly).toBeLessThan(4_000);
  });

  it('makes nothing readable before the answer has begun', () => {
    const cache = new PromptCache(() => 0);
    const first = cache.lookup(MARKED);
    expect(cache.lookup(MARKED).usage.cache_read_input_tokens).toBe(0);
    first.commit();
    expect(cache.lookup(MARKED).usage.cache_read_input_tokens).toBe(2_000);
  });
});
