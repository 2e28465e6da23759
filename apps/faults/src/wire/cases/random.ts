/**
 * Ordinary turns with a few things changed by chance: events left out, repeated and exchanged, values of the wrong kind anywhere,
 * bytes torn. What comes of each is not written down; what must hold in all cases must hold here, too.
 */
import { Random } from '../../sweep/random.js';
import { broken, torn, type Reply } from '../reply.js';
import { PING, signatureOf } from '../sse.js';
import type { WireCase } from '../wire-case.js';

/** A value as JSON has it. */
type Value =
  string | number | boolean | null | undefined | readonly Value[] | { readonly [name: string]: Value };
type Fields = { readonly [name: string]: Value };
type Change = (events: readonly Fields[], random: Random) => readonly Fields[];

const TURN: readonly Fields[] = [
  {
    type: 'message_start',
    message: {
      ...{ id: 'msg_wire', type: 'message', role: 'assistant', model: 'claude-sonnet-5-5', content: [] },
      ...{ stop_reason: null, usage: { input_tokens: 100, cache_read_input_tokens: 7, output_tokens: 1 } },
    },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm.' } },
  {
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'signature_delta', signature: signatureOf('Hm.') },
  },
  { type: 'content_block_stop', index: 0 },
  { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'I shall ' } },
  { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'write \u{1f600}.' } },
  { type: 'content_block_stop', index: 1 },
  {
    type: 'content_block_start',
    index: 2,
    content_block: { type: 'tool_use', id: 'toolu_r', name: 'write_file', input: {} },
  },
  {
    type: 'content_block_delta',
    index: 2,
    delta: { type: 'input_json_delta', partial_json: '{"path":"a.txt",' },
  },
  {
    type: 'content_block_delta',
    index: 2,
    delta: { type: 'input_json_delta', partial_json: '"content":"hello"}' },
  },
  { type: 'content_block_stop', index: 2 },
  {
    type: 'message_delta',
    delta: { stop_reason: 'tool_use', stop_sequence: null },
    usage: { output_tokens: 30 },
  },
  { type: 'message_stop' },
];

const WILD: readonly Value[] = [
  ...[null, true, false, 0, -1, 1.5, 1e30, '', ' ', 'x', '7', '\ud83d', 'a\u0000b', '{', '[]', '\u202e'],
  ...[[], {}, [null], { type: 'text' }, ['text'], 'y'.repeat(3_000), { a: { b: { c: [1, { d: null }] } } }],
  ...[
    'text',
    'tool_use',
    'thinking',
    'text_delta',
    'input_json_delta',
    'message_start',
    'end_turn',
    'refusal',
  ],
];

const CHANGES: readonly (readonly [weight: number, change: Change])[] = [
  [3, (events, random) => events.toSpliced(at(events, random), 1)],
  [2, (events, random) => events.toSpliced(at(events, random), 0, pick(events, random))],
  [2, (events, random) => exchanged(events, at(events, random), at(events, random))],
  [1, (events, random) => events.slice(0, at(events, random) + 1)],
  [1, (events, random) => [...events, ...events.slice(at(events, random))]],
  [
    8,
    (events, random) => changedAt(events, at(events, random), (event) => withWild(event, random) as Fields),
  ],
];

/** So many cases from a seed; the same seed gives the same cases. */
export function randomCases(seed: number, count: number): readonly WireCase[] {
  return Array.from({ length: count }, (_, number): WireCase => {
    const replies = repliesOf(new Random(seed * 100_003 + number));
    return {
      name: `random-${seed}-${number}`,
      what: `a turn changed by chance: ${JSON.stringify(Buffer.concat(replies.flatMap(({ pieces }) => pieces)).toString('utf8'))}`,
      replies,
      expect: {
        state: ['completed', 'failed'],
        requests: [1, 14],
        // Thinking that was changed on its way is refused, and left out then.
        refusals: /thinking/,
      },
    };
  });
}

function repliesOf(random: Random): readonly Reply[] {
  return Array.from({ length: random.between(1, 3) }, () => replyOf(random));
}

function replyOf(random: Random): Reply {
  let events = TURN;
  for (let left = random.between(1, 4); left > 0; left -= 1)
    events = random.weighted(CHANGES)(events, random);
  const frames = events.map((fields) => frameOf(fields, random));
  const reply = broken(...frames);
  const close = random.chance(0.1) ? ('cut' as const) : ('end' as const);
  return { ...(random.chance(0.2) ? torn(reply, random.between(1, 40)) : reply), close };
}

function frameOf(fields: Fields, random: Random): string {
  const name = typeof fields['type'] === 'string' ? fields['type'] : 'message_start';
  const frame = `event: ${name.replaceAll(/[\r\n\0]/g, '')}\ndata: ${JSON.stringify(fields)}\n\n`;
  return random.chance(0.03) ? `${frame}${PING}` : frame;
}

/** One value somewhere in it replaced, taken out, or one that nobody knows put in. */
function withWild(value: Value, random: Random): Value {
  if (!isFields(value)) return wild(random);
  const names = Object.keys(value);
  if (names.length === 0 || random.chance(0.05)) return { ...value, novelty: random.pick(WILD) };
  const name = random.pick(names);
  const inner = value[name];
  return {
    ...value,
    [name]: isFields(inner) && random.chance(0.8) ? withWild(inner, random) : wild(random),
  };
}

/** What JSON leaves out is a field taken out. */
function wild(random: Random): Value {
  return random.chance(0.15) ? undefined : random.pick(WILD);
}

function isFields(value: Value): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function at(events: readonly Fields[], random: Random): number {
  return random.between(0, Math.max(0, events.length - 1));
}

function pick(events: readonly Fields[], random: Random): Fields {
  return random.pick(events.length === 0 ? TURN : events);
}

function exchanged(events: readonly Fields[], one: number, other: number): readonly Fields[] {
  const [first, second] = [events[one], events[other]];
  return first === undefined || second === undefined ? events : events.with(one, second).with(other, first);
}

function changedAt(
  events: readonly Fields[],
  place: number,
  change: (event: Fields) => Fields,
): readonly Fields[] {
  const event = events[place];
  return event === undefined ? events : events.with(place, change(event));
}
