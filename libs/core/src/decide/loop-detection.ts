/** Notices an agent that goes round in circles: the same calls with the same results, again and again. */
import type { ContentBlock, Json } from '@bullpen/contracts';

/** A call with its result. */
interface AnsweredCall {
  readonly call: string;
  readonly result: string;
}

/** How often a call, or a cycle of two or three, may be seen before the next round is refused. */
const REPEATS = 3;
const LONGEST_CYCLE = 3;
/** Far more than any cycle needs; keeps the look-back short in long histories. */
const LOOK_BACK = REPEATS * LONGEST_CYCLE;

const REFUSED = 'Not run: this would only repeat what you did before.';

/**
 * Why a call would only repeat what was seen, as a text for the model; null when it may run. A repetition counts only while the
 * results are the same as well: polling something that changes is not a loop.
 */
export function loopProblem(
  messages: readonly { readonly content: readonly ContentBlock[] }[],
  tool: string,
  args: Json,
): string | null {
  const seen = answeredCalls(messages);
  const next = keyOf(tool, args);
  for (let period = 1; period <= LONGEST_CYCLE; period += 1) {
    if (!closesCycle(seen, next, period)) continue;
    const what = period === 1 ? 'this call' : `the same ${period} calls in turn`;
    return `${REFUSED} You have already made ${what} ${REPEATS - 1} times, with the same results. Use what you know, or try something else.`;
  }
  return null;
}

/** True when the next call would complete the third round of a cycle of this length. */
function closesCycle(seen: readonly AnsweredCall[], next: string, period: number): boolean {
  const needed = REPEATS * period - 1;
  const tail = seen.slice(-needed);
  if (tail.length < needed) return false;
  if (tail[tail.length - period]?.call !== next) return false;
  return tail.slice(period).every((item, at) => {
    const before = tail[at];
    return before !== undefined && item.call === before.call && sameResult(item.result, before.result);
  });
}

/** A refusal of this kind is the same as what it refused to repeat: insisting does not help. */
function sameResult(a: string, b: string): boolean {
  return a === b || a.startsWith(REFUSED) || b.startsWith(REFUSED);
}

/** The newest answered calls, oldest first. */
function answeredCalls(
  messages: readonly { readonly content: readonly ContentBlock[] }[],
): readonly AnsweredCall[] {
  const results = new Map<string, string>();
  const found: AnsweredCall[] = [];
  for (let at = messages.length - 1; at >= 0 && found.length < LOOK_BACK; at -= 1) {
    for (const block of [...(messages[at]?.content ?? [])].reverse()) {
      if (block.type === 'tool_result') results.set(block.tool_use_id, block.content);
      if (block.type !== 'tool_use') continue;
      const result = results.get(block.id);
      if (result !== undefined) found.push({ call: keyOf(block.name, block.input), result });
    }
  }
  return found.reverse();
}

/** The call as text, whatever order its arguments are in. */
function keyOf(tool: string, args: Json): string {
  return `${tool} ${JSON.stringify(sorted(args))}`;
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key] ?? null)]));
}
