/**
 * Whether people had their word: nothing gated took effect that nobody had approved in exactly this form, nothing refused ran, each
 * answer that counted had its effect once, and the other of two was told so. Witnesses are the effects file, the log of those who
 * answered, what the agents say they were told, and the books.
 */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { ApprovalAnswer, Json } from '@bullpen/contracts';
import type { Given } from './answerer.js';
import { EDITED, tokenOfCommand } from './asking.js';
import type { AskRow, ConsentBooks, GatedCall } from './consent-rows.js';
import { CUT_OFF } from './effects.js';
import { wrongWakes } from './wakes.js';

export interface ConsentWitnesses {
  readonly books: ConsentBooks;
  /** Lines of the effects file. */
  readonly effects: readonly string[];
  readonly given: readonly Given[];
}

/** All that is wrong, in words. To be asked when everything has ended. */
export function wrongConsents(witnesses: ConsentWitnesses): string[] {
  const { books, effects, given } = witnesses;
  const { asks, calls } = books;
  return [
    ...asks.flatMap(openAsk),
    ...effects.flatMap((token) => unapproved(token, books)),
    ...calls.flatMap((call) => wrongEnd(call, witnesses)),
    ...asks.flatMap((ask) => wrongAnswers(ask, given)),
    ...given.flatMap((one) => unheard(one, books)),
    ...wrongWakes(books),
  ];
}

function openAsk({ id, answer, withdrawn, kind, taskId }: AskRow): string[] {
  return answer === null && !withdrawn ? [`the ${kind} ${id} of task ${taskId} is open at the end`] : [];
}

/** An effect of a gated command needs one call, with the approval of a person for exactly what ran. */
function unapproved(token: string, { asks, calls }: ConsentBooks): string[] {
  if (!/\/\d+\.\d+!?$/.test(token)) return []; // Of a command that needs nobody.
  const [call, ...more] = calls.filter((one) => tokenOf(one) === token);
  if (call === undefined || more.length > 0)
    return [`the effect ${token} belongs to ${call ? more.length + 1 : 0} calls`];
  const { approval } = call;
  const ask = asks.find(({ id }) => id === approval?.interactionId);
  const answer = ask?.answer as ApprovalAnswer | null | undefined;
  if (ask?.kind !== 'approval' || ask.callId !== call.id || answer?.decision !== 'approve')
    return [`${token} took effect, and nobody had approved it`];
  const known = hashOf(call, ask);
  const approved = answer.arguments === undefined ? ask.hash : known;
  if (approval?.hash !== known || approved !== known)
    return [`${token} took effect, and what was approved is something else`];
  if (answer.arguments !== undefined && !isDeepStrictEqual(answer.arguments, call.arguments))
    return [`${token} took effect, and it is not what the approver made of it`];
  return token.endsWith(EDITED) === (answer.arguments !== undefined)
    ? []
    : [`${token} took effect, and the approver had ${answer.arguments ? '' : 'not '}changed it`];
}

/** The fingerprint of what ran, worked out anew. */
function hashOf({ id, taskId, arguments: given }: GatedCall, { payload }: AskRow): string {
  const { command = '' } = given;
  const subject = {
    ...{ arguments: { cwd: '.', background: false, ...given }, call: id, command },
    ...{ paths: payload['paths'] ?? [], task: taskId, tool: 'run_command' },
  };
  return createHash('sha256').update(sorted(subject)).digest('hex');
}

function sorted(value: Json): string {
  return JSON.stringify(value, (_, part: Json) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

/** What was approved ran once, or was cut off; what was refused never ran. */
function wrongEnd(call: GatedCall, { books, effects }: ConsentWitnesses): string[] {
  const { asks, events, tasks } = books;
  const ask = asks.findLast(({ callId, kind }) => callId === call.id && kind === 'approval');
  const token = tokenOf(call);
  if (ask === undefined || token === null) return [];
  const done = effects.filter((one) => one === token).length;
  const isRefused = (ask.answer as ApprovalAnswer | null)?.decision === 'deny';
  const began = events.some(({ type, data }) => type === 'tool.started' && data['callId'] === call.id);
  if (isRefused) return began || done > 0 ? [`${token} ran, and it had been refused`] : [];
  if (began && !answeredBefore(call, ask, events)) return [`${token} began before its answer`];
  if (ask.answer === null) return done > 0 ? [`${token} ran without an answer`] : [];
  // A cancel may come between the answer and the call.
  if (tasks.some(({ id, state }) => id === call.taskId && state !== 'completed')) return [];
  if (call.status === 'done') return done === 1 ? [] : [`${token} was approved and ran ${done} times`];
  return call.status === 'errored' && CUT_OFF.test(call.output)
    ? []
    : [`${token} was approved and is ${call.status}: ${call.output.slice(0, 200)}`];
}

function answeredBefore(call: GatedCall, ask: AskRow, events: ConsentBooks['events']): boolean {
  const at = (what: string, key: string, id: string): number =>
    events.findIndex(({ type, data }) => type === what && data[key] === id);
  const closed = at('interaction.closed', 'interactionId', ask.id);
  return closed !== -1 && closed < at('tool.started', 'callId', call.id);
}

/** Of all answers to one ask at most one counts, it is the one in the books, and the others were told so. */
function wrongAnswers({ id, kind, answer, answeredBy }: AskRow, given: readonly Given[]): string[] {
  const mine = given.filter(({ interactionId }) => interactionId === id);
  const accepted = mine.filter(({ fate }) => fate === 'accepted');
  const different = new Set(accepted.map((one) => JSON.stringify(one.answer)));
  const byPeople = answer !== null && answeredBy !== 'expiry';
  const told = mine.filter(({ fate, code }) => fate === 'refused' && code === 'interaction_closed');
  const standing = answer === null ? 'withdrawn' : String(answeredBy);
  return [
    ...(different.size > 1 ? [`${different.size} answers to the ${kind} ${id} were accepted`] : []),
    ...accepted
      .filter((one) => !isDeepStrictEqual(one.answer, answer))
      .map(
        (one) => `the ${kind} ${id} took ${JSON.stringify(one.answer)}, and has ${JSON.stringify(answer)}`,
      ),
    ...(byPeople && accepted.length === 0 ? [`the ${kind} ${id} is answered, and nobody was told so`] : []),
    ...told
      .filter(({ detail }) => !detail.includes(standing))
      .map(({ detail }) => `a late answer to the ${kind} ${id} was told: ${detail}`),
  ];
}

/** The agent was told the words of each answer that counted and of no other. */
function unheard({ interactionId, mark, fate }: Given, { asks, tasks }: ConsentBooks): string[] {
  if (mark === null) return [];
  const hearers = tasks.filter(({ output }) => output.includes(mark));
  const ask = asks.find(({ id }) => id === interactionId);
  if (fate === 'refused')
    return hearers.length > 0 ? [`the agent was told ${mark}, which did not count`] : [];
  // Something had changed before the approval was used: it was asked anew, and that answer is told.
  const isUsed = asks.findLast(({ callId }) => callId === ask?.callId)?.id === interactionId;
  const task = tasks.find(({ id }) => id === ask?.taskId);
  if (!isUsed || task?.state !== 'completed') return [];
  return hearers.some(({ id }) => id === task.id)
    ? []
    : [`the agent of ${task.title} was not told ${mark}, which counted`];
}

function tokenOf({ arguments: given }: GatedCall): string | null {
  return typeof given['command'] === 'string' ? tokenOfCommand(given['command']) : null;
}
