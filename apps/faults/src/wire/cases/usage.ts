/** Figures of usage that no meter shows. A paid answer is in the books once, and what is doubtful is marked. */
import { whole, type Reply } from '../reply.js';
import { end, NONE, start, STOP, text } from '../sse.js';
import type { UsageRow } from '../played.js';
import type { WireCase } from '../wire-case.js';

const WORDS = 'Twelve words of an answer that was paid for, and is kept so.';
const said = (first: unknown, last: unknown, reason: unknown = 'end_turn'): Reply =>
  whole(start(first), text(0, WORDS), end(reason, last), STOP);

/** The answer counts, bought once; the row is as named. */
function counted(name: string, what: string, reply: Reply, usage: Partial<UsageRow>): WireCase {
  return {
    name: `usage-${name}`,
    what,
    replies: [reply],
    expect: { output: WORDS, requests: 1, usage: [usage] },
  };
}

/** The answer counts, bought once; its figures are a guess, and say so. */
function guessed(name: string, what: string, reply: Reply): WireCase {
  return {
    name: `usage-${name}`,
    what,
    replies: [reply],
    expect: {
      output: WORDS,
      requests: 1,
      usage: [{ estimated: true }],
      also: ({ usage: [row] }) =>
        (row?.outputTokens ?? 0) > 0 ? [] : ['an answer of twelve words costs no output tokens'],
    },
  };
}

export const usageCases: readonly WireCase[] = [
  counted('plain', 'ordinary figures', said({ input_tokens: 100, output_tokens: 1 }, { output_tokens: 15 }), {
    inputTokens: 100,
    outputTokens: 15,
    estimated: false,
  }),
  counted(
    'fractional',
    '120.5 input and 12.25 output tokens',
    said({ input_tokens: 120.5, output_tokens: 1 }, { output_tokens: 12.25 }),
    { inputTokens: 121, outputTokens: 13 },
  ),
  counted(
    'null-in-delta',
    'the input is null in message_delta',
    said(
      { input_tokens: 100, output_tokens: 1 },
      { input_tokens: null, cache_read_input_tokens: null, output_tokens: 15 },
    ),
    { inputTokens: 100, outputTokens: 15, estimated: false },
  ),
  counted('all-in-delta', 'all figures in message_delta', said({}, { input_tokens: 90, output_tokens: 15 }), {
    inputTokens: 90,
    outputTokens: 15,
  }),
  counted(
    'cache',
    'cache figures and their split',
    said(
      {
        input_tokens: 10,
        cache_read_input_tokens: 2_000,
        cache_creation_input_tokens: 300,
        cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 },
        output_tokens: 1,
      },
      { output_tokens: 15 },
    ),
    {
      inputTokens: 10,
      cacheReadTokens: 2_000,
      cacheWrite5mTokens: 100,
      cacheWrite1hTokens: 200,
      outputTokens: 15,
    },
  ),
  counted(
    'server-tools-null',
    'fields that are null or unknown',
    said(
      {
        input_tokens: 100,
        output_tokens: 1,
        server_tool_use: null,
        cache_creation: null,
        iterations: null,
        novelty: [1],
      },
      { output_tokens: 15 },
    ),
    { inputTokens: 100, outputTokens: 15, estimated: false },
  ),
  guessed('missing', 'no usage anywhere', said(NONE, NONE)),
  guessed('null', 'usage null', said(null, null)),
  guessed('empty', 'usage without a figure', said({}, {})),
  guessed(
    'zero',
    'nothing but zeros beside a text',
    said({ input_tokens: 0, output_tokens: 0 }, { output_tokens: 0 }),
  ),
  guessed(
    'zero-output',
    'no output tokens beside a text',
    said({ input_tokens: 100, output_tokens: 0 }, { output_tokens: 0 }),
  ),
  guessed(
    'negative',
    'figures below nothing',
    said({ input_tokens: -100, output_tokens: -1 }, { output_tokens: -15 }),
  ),
  guessed(
    'negative-output',
    'an output below nothing',
    said({ input_tokens: 100, output_tokens: 1 }, { output_tokens: -15 }),
  ),
  guessed(
    'negative-cache',
    'a cache read below nothing',
    said({ input_tokens: 100, cache_read_input_tokens: -50, output_tokens: 1 }, { output_tokens: -2 }),
  ),
  guessed(
    'text',
    'figures as texts',
    said({ input_tokens: '100', output_tokens: '1' }, { output_tokens: 'fifteen' }),
  ),
  guessed('list', 'usage is a list', said([100, 1], [15])),
  guessed('word', 'usage is a text', said('100', '15')),
  guessed(
    'objects',
    'figures are objects',
    said({ input_tokens: {}, output_tokens: [] }, { output_tokens: { n: 15 } }),
  ),
  guessed(
    'true',
    'figures are true',
    said({ input_tokens: true, output_tokens: true }, { output_tokens: true }),
  ),
  guessed(
    'huge',
    'a figure that no counter holds',
    said({ input_tokens: 100, output_tokens: 1 }, { output_tokens: 1e30 }),
  ),
  guessed(
    'beyond-safe',
    'a figure beyond whole numbers',
    said({ input_tokens: 2 ** 60, output_tokens: 1 }, { output_tokens: 15 }),
  ),
  {
    name: 'usage-missing-with-call',
    what: 'a paid call without usage, then an ordinary answer',
    replies: [said(NONE, NONE, 'max_tokens')],
    expect: { requests: 2, usage: [{ estimated: true }, {}] },
  },
  {
    name: 'usage-falls',
    what: 'the last figure is smaller than the first',
    replies: [said({ input_tokens: 100, output_tokens: 50 }, { output_tokens: 15 })],
    expect: { output: WORDS, requests: 1 },
  },
  {
    name: 'usage-geo-us',
    what: 'inference in the US, 1,000,000 input and 100,000 output tokens',
    replies: [
      said({ input_tokens: 1_000_000, output_tokens: 1, inference_geo: 'us' }, { output_tokens: 100_000 }),
    ],
    task: { limits: { costUsd: '100' } },
    // 2 and 10 dollars a million, times 1.1.
    expect: { output: WORDS, requests: 1, usage: [{ costNanoUsd: 3_300_000_000 }] },
  },
  {
    name: 'usage-geo-global',
    what: 'inference anywhere, 1,000,000 input and 100,000 output tokens',
    replies: [
      said(
        { input_tokens: 1_000_000, output_tokens: 1, inference_geo: 'global' },
        { output_tokens: 100_000 },
      ),
    ],
    task: { limits: { costUsd: '100' } },
    expect: { output: WORDS, requests: 1, usage: [{ costNanoUsd: 3_000_000_000 }] },
  },
  ...[null, 7, '', 'priority', 'batch', 'turbo', {}].map((tier, at): WireCase => ({
    name: `usage-tier-${at}`,
    what: `service_tier ${JSON.stringify(tier)}`,
    replies: [said({ input_tokens: 100, output_tokens: 1, service_tier: tier }, { output_tokens: 15 })],
    expect: { output: WORDS, requests: 1, usage: [{ inputTokens: 100, outputTokens: 15 }] },
  })),
  counted(
    'start-only',
    'usage in message_start alone',
    said({ input_tokens: 100, output_tokens: 15 }, NONE),
    {
      inputTokens: 100,
      outputTokens: 15,
    },
  ),
  counted('delta-null', 'usage null in message_delta', said({ input_tokens: 100, output_tokens: 15 }, null), {
    inputTokens: 100,
    outputTokens: 15,
  }),
  ...[
    { ephemeral_5m_input_tokens: -5 },
    { ephemeral_1h_input_tokens: 'x' },
    [],
    7,
    'x',
    { ephemeral_5m_input_tokens: 1.5 },
  ].map((split, at): WireCase => ({
    name: `usage-cache-split-${at}`,
    what: `cache_creation ${JSON.stringify(split)}`,
    replies: [
      said(
        { input_tokens: 100, output_tokens: 1, cache_creation: split, cache_creation_input_tokens: 0 },
        { output_tokens: 15 },
      ),
    ],
    expect: { output: WORDS, requests: 1, usage: [{ inputTokens: 100, outputTokens: 15 }] },
  })),
  ...[null, 7, '', 'mars', { us: true }].map((geo, at): WireCase => ({
    name: `usage-geo-odd-${at}`,
    what: `inference_geo ${JSON.stringify(geo)}`,
    replies: [said({ input_tokens: 100, output_tokens: 1, inference_geo: geo }, { output_tokens: 15 })],
    expect: { output: WORDS, requests: 1, usage: [{ inputTokens: 100, outputTokens: 15 }] },
  })),
];
