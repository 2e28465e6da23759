/** The streams that the recorded answers are made into: cut, torn, framed in other ways, with events out of order. */
import { Random } from '../../sweep/random.js';
import { RECORDED, type Recorded } from './recorded.js';

export interface Stream {
  readonly name: string;
  readonly recorded: Recorded;
  /** What arrives, in the pieces in which it does. */
  readonly pieces: readonly Uint8Array[];
  /** Nothing of it is missing, and nothing else came: the answer must be all that was recorded. */
  readonly isWhole: boolean;
}

type Frame = (text: string) => string;

/** Ways to frame the same events, none of which loses anything. */
const FRAMES: readonly Frame[] = [
  (text) => text,
  (text) => text.replaceAll('\n', '\r\n'),
  (text) => text.replaceAll('\n', '\r'),
  (text) => `\ufeff${text}`,
  (text) => text.replaceAll('event: ', ': keep-alive\n\n:\nevent: '),
  (text) => text.replaceAll('event: ', 'event:').replaceAll('data: ', 'data:'),
  (text) => text.replace(/(event: .*)\n(data: .*)\n\n/g, '$2\n$1\nid: 7\nretry: 10\n\n'),
  (text) => text.replaceAll('\n\n', '\n\n\n\n'),
  (text) =>
    text.replaceAll('event: content', 'event: novelty\ndata: {"type":"novelty","x":[1]}\n\nevent: content'),
  (text) =>
    text.replaceAll('"type":"content_block_delta"', '"novel":{"y":[null]},"type":"content_block_delta"'),
];

/** A family: so many streams of one recorded answer. */
interface Family {
  readonly name: string;
  readonly size: number;
  at(number: number): Pick<Stream, 'pieces' | 'isWhole'>;
}

const encoder = new TextEncoder();
const whole = (...pieces: readonly Uint8Array[]) => ({ pieces, isWhole: true });
const changed = (...pieces: readonly Uint8Array[]) => ({ pieces, isWhole: false });

function familiesOf({ events }: Recorded): readonly Family[] {
  const bytes = encoder.encode(events.join(''));
  const crlf = encoder.encode(events.join('').replaceAll('\n', '\r\n'));
  const count = events.length;
  const of = (list: readonly string[]) => changed(encoder.encode(list.join('')));
  return [
    { name: 'cut', size: bytes.length, at: (n) => changed(bytes.subarray(0, n)) },
    { name: 'cut-crlf', size: crlf.length, at: (n) => changed(crlf.subarray(0, n)) },
    { name: 'split', size: bytes.length, at: (n) => whole(bytes.subarray(0, n), bytes.subarray(n)) },
    { name: 'split-crlf', size: crlf.length, at: (n) => whole(crlf.subarray(0, n), crlf.subarray(n)) },
    { name: 'framed', size: FRAMES.length, at: (n) => whole(framed(events, n)) },
    {
      name: 'framed-torn',
      size: FRAMES.length * 7,
      at: (n) => whole(...torn(framed(events, n), 1 + (n % 7))),
    },
    { name: 'dropped', size: count, at: (n) => of(events.toSpliced(n, 1)) },
    {
      name: 'doubled',
      size: count * count,
      at: (n) => of(events.toSpliced(n % count, 0, events[Math.floor(n / count)] ?? '')),
    },
    { name: 'moved', size: count * count, at: (n) => of(moved(events, Math.floor(n / count), n % count)) },
    { name: 'twice', size: 1, at: () => of([...events, ...events]) },
  ];
}

function framed(events: readonly string[], number: number): Uint8Array {
  return encoder.encode((FRAMES[number % FRAMES.length] ?? FRAMES[0])?.(events.join('')) ?? '');
}

function torn(bytes: Uint8Array, size: number): readonly Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
}

function moved(events: readonly string[], from: number, to: number): readonly string[] {
  return events.toSpliced(from, 1).toSpliced(to, 0, events[from] ?? '');
}

/** Lines of ten megabytes: in a comment, in an unknown event, and in a text. */
export function largeStreams(): readonly Stream[] {
  const filler = 'x'.repeat(10_000_000);
  const [recorded] = RECORDED;
  if (recorded === undefined) return [];
  const text = recorded.events.join('');
  const inDelta = text.replace('δέλτα', `δέλτα ${filler}`);
  return [
    `: ${filler}\n${text}`,
    `event: novelty\ndata: {"type":"novelty","x":"${filler}"}\n\n${text}`,
    inDelta,
  ].map((content, at) => ({
    name: `large-${at}`,
    recorded,
    ...whole(...torn(encoder.encode(content), 65_536)),
  }));
}

/**
 * So many streams, the same for the same seed. All families in turn, evenly thinned when there are more of them than asked for; what is
 * left over goes to streams with several changes at once.
 */
export function* streams(count: number, seed: number): Generator<Stream> {
  const all = RECORDED.flatMap((recorded) => familiesOf(recorded).map((family) => ({ recorded, family })));
  const total = all.reduce((sum, { family }) => sum + family.size, 0);
  const random = new Random(seed);
  let [due, made] = [0, 0];
  for (const { recorded, family } of all) {
    for (let n = 0; n < family.size; n += 1) {
      due += Math.min(1, count / total);
      if (due < made + 1) continue;
      made += 1;
      yield { name: `${recorded.name} ${family.name} ${n}`, recorded, ...family.at(n) };
    }
  }
  for (; made < count; made += 1) yield mixed(random, made);
}

/** Some events dropped, doubled or moved; then another frame, a cut, a tear. */
function mixed(random: Random, number: number): Stream {
  const recorded = random.pick(RECORDED);
  let { events } = recorded;
  for (let left = random.between(1, 3); left > 0; left -= 1) {
    const [from, to] = [random.between(0, events.length - 1), random.between(0, events.length - 1)];
    events = random.pick([
      () => events.toSpliced(from, 1),
      () => events.toSpliced(to, 0, events[from] ?? ''),
      () => moved(events, from, to),
    ])();
  }
  const bytes = framed(events, random.between(0, FRAMES.length - 1));
  const cut = random.chance(0.5) ? bytes : bytes.subarray(0, random.between(0, bytes.length));
  return {
    name: `${recorded.name} mixed ${number}`,
    recorded,
    ...changed(...torn(cut, random.between(1, 200))),
  };
}
