/** What a case came to, against what must hold in all of them and what it expects itself. */
import { isDeepStrictEqual } from 'node:util';
import type { ToolCallView } from '@bullpen/contracts';
import { blocksOf, type MessagesRequest } from '@bullpen/model-sim';
import type { Play, UsageRow } from './played.js';
import type { CallExpectation, Expectation } from './wire-case.js';

/** Everything that is wrong; empty when the case passes. */
export function judgeCase(play: Play, expect: Expectation): readonly string[] {
  return [...judgeAlways(play, expect), ...judgeEnd(play, expect), ...judgeDetails(play, expect)];
}

/** Whatever the wire says: nothing illegal is sent, nothing paid is lost or bought twice, and no exception ends a task. */
function judgeAlways(play: Play, { refusals }: Expectation): string[] {
  return [
    ...illegalRequests(play, refusals),
    ...thinkingLast(play),
    ...bookkeeping(play),
    ...boughtTwice(play),
    ...exceptions(play),
  ];
}

function illegalRequests({ exchanges }: Play, allowed: RegExp | undefined): string[] {
  return exchanges.flatMap(({ illegal }, at) =>
    illegal === null || allowed?.test(illegal) === true
      ? []
      : [`request ${at + 1} would be refused by the API: ${illegal}`],
  );
}

function thinkingLast({ exchanges }: Play): string[] {
  return exchanges.flatMap(({ request }, at) =>
    endsInThinking(request) ? [`request ${at + 1} has a message that ends with thinking`] : [],
  );
}

function endsInThinking(request: MessagesRequest | null): boolean {
  return (request?.messages ?? []).some(({ role, content }) => {
    const last = blocksOf(content).at(-1)?.type;
    return role === 'assistant' && (last === 'thinking' || last === 'redacted_thinking');
  });
}

/** Each request has its row, each paid answer its usage, and no figure is below nothing. */
function bookkeeping({ exchanges, modelCalls, usage }: Play): string[] {
  const count = (...meanings: readonly string[]) =>
    exchanges.filter(({ meaning }) => meanings.includes(meaning)).length;
  const [wholes, paid] = [count('whole'), count('whole', 'broken')];
  const done = modelCalls.filter(({ status }) => status === 'done').length;
  return [
    ...between('requests in the books', modelCalls.length, exchanges.length, exchanges.length),
    ...between('answers in the books', done, wholes, paid),
    ...between('rows of usage', usage.length, wholes, paid),
    ...usage.flatMap((row) => oddFigures(row)),
  ];
}

function oddFigures(row: UsageRow): string[] {
  return Object.entries(row).flatMap(([name, value]) =>
    typeof value === 'number' && (value < 0 || !Number.isInteger(value))
      ? [`the books have ${name} = ${value}`]
      : [],
  );
}

/** The same request again after a whole answer to it. */
function boughtTwice({ exchanges }: Play): string[] {
  const answered = new Set<string>();
  return exchanges.flatMap(({ body, meaning }, at) => {
    const again = answered.has(body);
    if (meaning === 'whole') answered.add(body);
    return again ? [`request ${at + 1} asks again for an answer that had come whole`] : [];
  });
}

/** A failure has its own text: never one of the language's, and never a lost worker where none was lost. */
function exceptions({ task, crashes }: Play): string[] {
  const said = `${task.failure?.code ?? ''} ${task.failure?.message ?? ''}`;
  const isForeign =
    /TypeError|RangeError|SyntaxError|ZodError|is not (a function|iterable|defined)|Cannot (read|convert)|is undefined|took \d+ workers? down|poison|invalid input syntax|violates/i;
  return [
    ...(isForeign.test(said) ? [`it failed by an exception: ${said}`] : []),
    ...(crashes > 0 ? [`${crashes} of its leases ended without a step`] : []),
  ];
}

function judgeEnd({ task, exchanges }: Play, expect: Expectation): string[] {
  const { state = 'completed', cause, output, notOutput, failure, requests } = expect;
  const said = `${task.state}/${task.stopCause ?? task.waitReason ?? ''}`;
  const words = typeof task.output === 'string' ? task.output : JSON.stringify(task.output);
  const found = [
    ...(oneOf(task.state, state)
      ? []
      : [`it is ${said}, not ${list(state)}: ${task.failure?.message ?? words}`]),
    ...(cause === undefined || oneOf(task.stopCause, cause)
      ? []
      : [`its cause is ${said}, not ${list(cause)}`]),
    ...(failure === undefined || failure.test(task.failure?.message ?? '')
      ? []
      : [`its failure says ${JSON.stringify(task.failure?.message)}, not ${failure}`]),
  ];
  if (task.state === 'completed') {
    if (output !== undefined && !(typeof output === 'string' ? output === words : output.test(words)))
      found.push(`its output is ${JSON.stringify(words)}, not ${output}`);
    if (notOutput !== undefined && words === notOutput)
      found.push(`it is completed with ${JSON.stringify(words)}`);
  }
  if (requests !== undefined) {
    const [least, most] = typeof requests === 'number' ? [requests, requests] : requests;
    found.push(...between('requests', exchanges.length, least, most));
  }
  return found;
}

function judgeDetails(play: Play, { calls, files = {}, usage, also }: Expectation): string[] {
  return [
    ...(calls === undefined ? [] : wrongCalls(play.toolCalls, calls)),
    ...Object.entries(files).flatMap(([name, wanted]) => {
      const content = play.files.get(name) ?? null;
      return content === wanted
        ? []
        : [`the file ${name} holds ${JSON.stringify(content)}, not ${JSON.stringify(wanted)}`];
    }),
    ...(usage ?? []).flatMap((wanted, at) => wrongUsage(play.usage[at], wanted, at)),
    ...(also?.(play) ?? []),
  ];
}

function wrongCalls(calls: readonly ToolCallView[], wanted: readonly CallExpectation[]): string[] {
  const shown = calls.map(
    ({ tool, state, output }) => `${tool} ${state} ${JSON.stringify(output ?? '').slice(0, 120)}`,
  );
  if (calls.length !== wanted.length)
    return [`it has ${calls.length} calls, not ${wanted.length}: ${shown.join('; ')}`];
  return calls.flatMap((call, at) =>
    fits(call, wanted[at])
      ? []
      : [`call ${at + 1} is not as expected: ${shown[at]} ${JSON.stringify(call.arguments)}`],
  );
}

function fits(call: ToolCallView, wanted: CallExpectation | undefined): boolean {
  if (wanted === undefined) return false;
  const { tool, state = 'done', output, arguments: part = {} } = wanted;
  const given = call.arguments as Readonly<Record<string, unknown>> | null;
  return (
    call.tool === tool &&
    call.state === state &&
    (output?.test(call.output ?? '') ?? true) &&
    Object.entries(part).every(([name, value]) => isDeepStrictEqual(given?.[name], value))
  );
}

function wrongUsage(row: UsageRow | undefined, wanted: Partial<UsageRow>, at: number): string[] {
  return Object.entries(wanted).flatMap(([name, value]) => {
    const booked = row?.[name as keyof UsageRow];
    return booked === value ? [] : [`row ${at + 1} of usage has ${name} = ${booked}, not ${value}`];
  });
}

function between(what: string, count: number, least: number, most: number): string[] {
  if (count >= least && count <= most) return [];
  return [`${what}: ${count}, not ${least === most ? least : `${least} to ${most}`}`];
}

function oneOf<T>(value: T | null, allowed: T | readonly T[]): boolean {
  return Array.isArray(allowed) ? allowed.includes(value) : value === allowed;
}

function list(values: string | readonly string[]): string {
  return typeof values === 'string' ? values : values.join(' or ');
}
