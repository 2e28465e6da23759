/** Reads many streams and counts what must never happen. */
import { errorText } from '@bullpen/contracts';
import {
  historyProblems,
  withoutLastThoughts,
  withSettledCalls,
  type ParsedAnswer,
  type RequestMessage,
} from '@bullpen/core';
import { checkedRequest } from '@bullpen/model-sim';
import { allowed, type Allowed } from './oracle.js';
import { bodyAfter, type ReadStream } from './read-stream.js';
import type { Stream } from './streams.js';

export interface StreamCounts {
  streams: number;
  /** Reading it threw. */
  crashes: number;
  /** Reading it did not end. */
  hangs: number;
  /** A call that may run although its answer or itself did not arrive whole. */
  partialToolRuns: number;
  /** The history that it leaves is refused by the provider: a call without its result, a result without its call, … */
  unpaired: number;
  /** A word of the answer that came more often than it arrived. */
  doubledText: number;
  /** All of it arrived, and not all of it was read. */
  lost: number;
}

type Fault = Exclude<keyof StreamCounts, 'streams'>;
type Found = readonly [fault: Fault, why: string];

export const NONE: StreamCounts = {
  ...{ streams: 0, crashes: 0, hangs: 0, partialToolRuns: 0, unpaired: 0, doubledText: 0, lost: 0 },
};

export interface StreamReport {
  readonly counts: StreamCounts;
  /** The first few that are wrong. */
  readonly examples: readonly string[];
}

const MOST_EXAMPLES = 10;

export async function judgeStreams(
  all: Iterable<Stream>,
  read: ReadStream,
  hangMs = 20_000,
): Promise<StreamReport> {
  const counts = { ...NONE };
  const examples: string[] = [];
  const sendable = new Map<string, string | null>();
  for (const stream of all) {
    counts.streams += 1;
    for (const [fault, why] of await faultsOf(stream, read, { sendable, hangMs })) {
      counts[fault] += 1;
      if (examples.length < MOST_EXAMPLES) examples.push(`${fault}: ${stream.name}: ${why}`);
    }
  }
  return { counts, examples };
}

interface Judging {
  /** Contents that were tried, and why they cannot be sent. */
  readonly sendable: Map<string, string | null>;
  readonly hangMs: number;
}

async function faultsOf(stream: Stream, read: ReadStream, judging: Judging): Promise<readonly Found[]> {
  const { parsed, failed } = await outcome(stream, read, judging.hangMs);
  if (parsed === null) return [failed];
  const may = allowed(stream);
  const refused = await whyRefused(parsed, judging.sendable);
  return [
    ...partialRuns(may, parsed),
    ...(refused === null || isMended(stream, refused) ? [] : [['unpaired', refused] as const]),
    ...doubled(stream, may, parsed),
    ...(stream.isWhole ? lost(stream, parsed) : []),
  ];
}

type Outcome =
  | { readonly parsed: ParsedAnswer; readonly failed: null }
  | { readonly parsed: null; readonly failed: Found };

async function outcome(stream: Stream, read: ReadStream, hangMs: number): Promise<Outcome> {
  let timer: NodeJS.Timeout | undefined;
  const hang = new Promise<Outcome>((resolve) => {
    const failed: Found = ['hangs', `no end after ${hangMs} ms`];
    timer = setTimeout(() => resolve({ parsed: null, failed }), hangMs);
  });
  try {
    return await Promise.race([read(stream).then((parsed): Outcome => ({ parsed, failed: null })), hang]);
  } catch (error) {
    return { parsed: null, failed: ['crashes', errorText(error)] };
  } finally {
    clearTimeout(timer);
  }
}

function partialRuns(may: Allowed, { toolCalls }: ParsedAnswer): Found[] {
  return toolCalls.flatMap(({ tool, arguments: input, problem }) =>
    problem !== null || (may.mayRun && may.hasArrived(tool, input))
      ? []
      : [['partialToolRuns', `${tool} ${JSON.stringify(input)}`] as const],
  );
}

function doubled({ recorded }: Stream, may: Allowed, { text }: ParsedAnswer): Found[] {
  const word = recorded.words.find((one) => text.split(one).length - 1 > may.countOf(one));
  return word === undefined ? [] : [['doubledText', word]];
}

function lost({ recorded }: Stream, { text, toolCalls }: ParsedAnswer): Found[] {
  const runnable = toolCalls.filter(({ problem }) => problem === null);
  const calls = runnable.map(({ tool, arguments: input }) => ({ tool, input }));
  const word = recorded.words.find((one) => !text.includes(one));
  return [
    ...(word === undefined ? [] : [['lost', word] as const]),
    ...(JSON.stringify(calls) === JSON.stringify(recorded.calls)
      ? []
      : [['lost', JSON.stringify(calls)] as const]),
  ];
}

/** Why the history with this answer and its results would be refused; null when it can be sent, or nothing of it is stored. */
async function whyRefused(
  { content, toolCalls }: ParsedAnswer,
  known: Map<string, string | null>,
): Promise<string | null> {
  // What only its provider knows it takes back; the simulator does not know it.
  const kept = withoutLastThoughts(content).filter((block) => !isNovel(block));
  if (kept.length === 0) return null;
  const results = toolCalls.map(({ toolUseId }) => ({
    type: 'tool_result' as const,
    tool_use_id: toolUseId,
    content: 'ok',
  }));
  const messages: readonly RequestMessage[] = [
    { role: 'assistant', content: kept },
    { role: 'user', content: [...results, { type: 'text', text: 'Go on.' }] },
  ];
  const key = JSON.stringify(messages);
  const before = known.get(key);
  if (before !== undefined) return before;
  const why =
    historyProblems([{ role: 'user', content: [{ type: 'text', text: 'Go.' }] }, ...messages])[0] ??
    (await providerSays(withSettledCalls(messages)));
  known.set(key, why);
  return why;
}

function isNovel(block: ParsedAnswer['content'][number]): boolean {
  return block.type === 'provider' && String(block.block['type']).startsWith('novel_');
}

async function providerSays(messages: readonly RequestMessage[]): Promise<string | null> {
  try {
    checkedRequest(await bodyAfter(messages));
    return null;
  } catch (error) {
    return errorText(error);
  }
}

/** Thinking that was changed on its way is no longer signed. The loop then asks once more without it. */
function isMended({ isWhole }: Stream, refused: string): boolean {
  return !isWhole && /`thinking`/.test(refused);
}
