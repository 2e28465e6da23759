/**
 * What must be true before a call may start: its tool is available, its arguments fit, and the policy or a person allows it. An
 * approval counts only for exactly what was asked: the hash of task, call, tool, final arguments and paths; anything else is asked
 * again.
 */
import {
  errorText,
  type ApprovalAnswer,
  type ApprovalDecision,
  type InteractionAnswer,
  type Json,
} from '@bullpen/contracts';
import { canonicalJson } from '../task/canonical-json.js';
import { consentNote, noted, noteOf } from '../conversation/consent-note.js';
import { decideCall, rememberable } from './decide-call.js';
import { loopProblem } from '../decide/loops/loop-problem.js';
import { PRESENT_PLAN } from '../task/autonomy.js';
import { canAsk, isOffered, offeredTools } from '../decide/offer.js';
import { withoutAnyone } from '../decide/policy/decide.js';
import type { Decision } from '../decide/policy/decision.js';
import { cutOffResult, maskText, refusalText } from '../conversation/prompts.js';
import { modeProblem } from './modes.js';
import type { Run } from './run.js';
import type { InteractionRecord, NewInteraction, ToolCallRecord } from '../task/task.js';
import { callTitle } from '../task/text.js';
import type { Ask, BoundCall, CallFacts, Tool, ToolContext } from '../ports/tool.js';

/** A call that may run now. */
export interface Ready {
  readonly call: ToolCallRecord;
  readonly tool: Tool;
  readonly bound: BoundCall;
  readonly facts: CallFacts;
  /** A person's answer, for tools that ask one. */
  readonly answer: InteractionAnswer | null;
  /** What the model is told before the result, when a person changed or remarked something. */
  readonly note: string | null;
}

export type Review =
  | ({ readonly kind: 'ready' } & Ready)
  /** It does not run; the model reads why. */
  | { readonly kind: 'refuse'; readonly call: ToolCallRecord; readonly reason: string }
  /** A person has to answer: the interaction that is open already, or the one to open. */
  | {
      readonly kind: 'ask';
      readonly call: ToolCallRecord;
      readonly pending: string | null;
      readonly open: NewInteraction | null;
      readonly withdraw: readonly string[];
    };

interface Proposal {
  readonly call: ToolCallRecord;
  readonly tool: Tool;
  readonly bound: BoundCall;
  readonly facts: CallFacts;
  readonly decision: Decision;
}

/** Looks at one open call; changes nothing. `contextOf` is what the tool may look with. */
export async function review(
  run: Run,
  call: ToolCallRecord,
  contextOf: (call: ToolCallRecord) => ToolContext,
): Promise<Review> {
  const refuse = (reason: string): Review => ({ kind: 'refuse', call, reason });
  const tool = run.tools.get(call.tool);
  const parsed = tool?.parse(call.arguments ?? {});
  const settled = tool && parsed?.ok ? settledBefore(run, tool, parsed.call, call.id) : null;
  if (!tool || !parsed || !(isOffered(tool, run.state.task) || settled))
    return refuse(notOffered(run, call.tool));
  const misplaced = settled ? null : modeProblem(run, tool);
  if (misplaced !== null) return refuse(misplaced);
  if (call.status === 'calling' && tool.resume === 'report')
    return refuse(noted(consentNote(run.state.interactions, call), cutOffResult(call.tool)));
  if (!parsed.ok)
    return refuse(
      `Invalid arguments for ${call.tool}:\n${parsed.issues.map((issue) => `- ${issue}`).join('\n')}`,
    );
  // A call that had started before a crash does not count as a repetition of itself.
  const loop =
    call.status === 'calling'
      ? null
      : loopProblem(run.state.messages, run.tools, call.tool, call.arguments ?? {});
  if (loop !== null) return refuse(loop);
  const given = { call, tool, bound: parsed.call };
  return settled ? question(run, { ...given, facts: {} }, settled) : judge(run, given, contextOf);
}

const SETTLED = { verdict: 'approve', rule: 'question', by: 'policy' } as const;
const ANSWERED: ApprovalDecision = { ...SETTLED, code: 'answered', reason: 'A person has answered it.' };
const NOBODY: ApprovalDecision = { ...SETTLED, code: 'nobody', reason: 'There is nobody to ask.' };

/**
 * What is recorded for a call that runs whether or not its tool is still available: a person has answered its question (accepting a
 * plan removes the tool that presented it), or nobody can be asked, which is then its result.
 */
function settledBefore(
  { state }: Run,
  { group }: Tool,
  { asks }: BoundCall,
  id: string,
): ApprovalDecision | null {
  if (!asks) return null;
  if (state.interactions.some(({ callId, answer }) => callId === id && answer !== null)) return ANSWERED;
  return group === 'question' && !canAsk(state.task) ? NOBODY : null;
}

/** What the policy and people say of a call that fits its tool. */
export async function judge(
  run: Run,
  { call, tool, bound }: Pick<Proposal, 'call' | 'tool' | 'bound'>,
  contextOf: (call: ToolCallRecord) => ToolContext,
): Promise<Review> {
  const looked = await proposalOf(run, { call, tool, bound }, contextOf);
  if ('reason' in looked) return { kind: 'refuse', call, reason: looked.reason };
  const { decision } = looked;
  if (decision.verdict === 'deny') return denied(call, decision);
  const approval = recorded(decision);
  if (bound.asks) return question(run, looked, approval);
  if (decision.verdict === 'approve')
    return { kind: 'ready', ...looked, call: { ...call, approval }, answer: null, note: null };
  return consent(run, looked, contextOf);
}

/** What the call would do, and what the policy says about it. */
async function proposalOf(
  run: Run,
  { call, tool, bound }: Pick<Proposal, 'call' | 'tool' | 'bound'>,
  contextOf: (call: ToolCallRecord) => ToolContext,
): Promise<Proposal | { readonly reason: string }> {
  const masked = maskProblem(run, tool, bound.args);
  if (masked !== null) return { reason: masked };
  try {
    const facts = (await bound.inspect?.(contextOf(call))) ?? {};
    return { call, tool, bound, facts, decision: decideCall(run, tool, facts) };
  } catch (error) {
    return { reason: `${tool.name} failed: ${errorText(error)}` };
  }
}

/** Tools that hand their arguments to somebody who would take a mask for the value. Agents and people know what it stands for. */
const TAKES_MASKS: readonly Tool['group'][] = ['write', 'execute', 'browser', 'mcp'];

/** Why a call must not run with a mask in its arguments; null when it has none. */
function maskProblem({ deps }: Run, tool: Tool, args: Json): string | null {
  const names = TAKES_MASKS.includes(tool.group) ? deps.masker.masksIn(canonicalJson(args)) : [];
  return names.length === 0 ? null : maskText(names);
}

function denied(call: ToolCallRecord, decision: Decision): Review {
  return { kind: 'refuse', call: { ...call, approval: recorded(decision) }, reason: decision.reason };
}

/** The call of a tool whose result is a person's answer. Without anybody it runs all the same, and says so. */
function question(run: Run, proposal: Omit<Proposal, 'decision'>, approval: ApprovalDecision): Review {
  const { call, tool, bound, facts } = proposal;
  const ready = { kind: 'ready' as const, call: { ...call, approval }, tool, bound, facts, note: null };
  const hash = hashOf(run, proposal);
  const known = run.state.interactions.find((item) => item.callId === call.id && item.hash === hash);
  // An accepted plan may have ended the time in which somebody can be asked.
  if (known?.answer) return { ...ready, answer: known.answer };
  if (!bound.asks || !canAsk(run.state.task)) return { ...ready, answer: null };
  const ask = versioned(run, bound.asks());
  const open = known ? null : newInteraction(run, { ...ask, callId: call.id, hash });
  return { kind: 'ask', call, pending: known?.id ?? null, open, withdraw: [] };
}

/** Plans are numbered: a person who looks at one sees which it is. */
function versioned(run: Run, ask: Ask): Ask {
  if (ask.kind !== 'plan') return ask;
  const blocks = run.state.messages.flatMap(({ content }) => content);
  const version = blocks.filter((block) => block.type === 'tool_use' && block.name === PRESENT_PLAN).length;
  return { ...ask, payload: { version, ...ask.payload } };
}

/** The call needs approval: it has it, was refused, or waits for it. */
async function consent(
  run: Run,
  proposal: Proposal,
  contextOf: (call: ToolCallRecord) => ToolContext,
): Promise<Review> {
  const { call, tool, bound, decision } = proposal;
  const hash = hashOf(run, proposal);
  const own = run.state.interactions.filter(({ callId }) => callId === call.id);
  // The form that was approved, perhaps with arguments of the approver's, is in the row from the call's first start on.
  if (call.approval?.verdict === 'approve' && call.approval.hash === hash)
    return {
      kind: 'ready',
      call,
      tool,
      bound,
      facts: proposal.facts,
      answer: null,
      note: consentNote(run.state.interactions, call),
    };
  const asked = own.find((item) => item.hash === hash);
  if (asked?.answer) return answered(run, proposal, asked, asked.answer as ApprovalAnswer, contextOf);
  const withdraw = own.flatMap(({ id, answer }) => (answer === null && id !== asked?.id ? [id] : []));
  if (!canAsk(run.state.task)) return denied(call, withoutAnyone(decision));
  const open = asked
    ? null
    : newInteraction(run, approvalAsk(run, proposal, hash, await diffOf(proposal, contextOf(call))));
  return {
    kind: 'ask',
    call: { ...call, approval: recorded(decision) },
    pending: asked?.id ?? null,
    open,
    withdraw,
  };
}

/** A person has answered. What the policy denies stays denied, whoever changed the arguments. */
async function answered(
  run: Run,
  proposal: Proposal,
  interaction: InteractionRecord,
  answer: ApprovalAnswer,
  contextOf: (call: ToolCallRecord) => ToolContext,
): Promise<Review> {
  const { call, tool } = proposal;
  const by = interaction.answeredBy === 'expiry' ? ('expiry' as const) : ('user' as const);
  const approval = {
    verdict: answer.decision,
    rule: 'interaction',
    reason:
      answer.decision === 'approve' ? 'A person approved exactly this.' : refusalText(by, answer.remarks),
    by,
    interactionId: interaction.id,
  };
  if (answer.decision === 'deny')
    return { kind: 'refuse', call: { ...call, approval }, reason: approval.reason };
  const final =
    answer.arguments === undefined ? proposal : await edited(run, proposal, answer.arguments, contextOf);
  if ('reason' in final) return { kind: 'refuse', call, reason: final.reason };
  if (final.decision.verdict === 'deny') return denied(call, final.decision);
  const args = answer.arguments ?? call.arguments;
  return {
    kind: 'ready',
    call: { ...call, arguments: args, approval: { ...approval, hash: hashOf(run, final) } },
    tool,
    bound: final.bound,
    facts: final.facts,
    answer: null,
    note: noteOf(interaction),
  };
}

async function edited(
  run: Run,
  { call, tool }: Proposal,
  given: Json,
  contextOf: (call: ToolCallRecord) => ToolContext,
): Promise<Proposal | { readonly reason: string }> {
  const parsed = tool.parse(given);
  if (!parsed.ok)
    return {
      reason: `The user approved it with changed arguments, which ${tool.name} does not accept: ${parsed.issues.join('; ')}`,
    };
  return proposalOf(run, { call: { ...call, arguments: given }, tool, bound: parsed.call }, contextOf);
}

/** The fingerprint of exactly what would run. */
function hashOf(
  run: Run,
  { call, tool, bound, facts }: Pick<Proposal, 'call' | 'tool' | 'bound' | 'facts'>,
): string {
  const { command = null, paths = [] } = facts;
  const subject = {
    task: run.state.task.id,
    call: call.id,
    tool: tool.name,
    arguments: bound.args,
    command,
    paths,
  };
  return run.deps.hash(canonicalJson(subject as unknown as Json));
}

/** Made for those who are asked only. What cannot be shown is not shown: running the call says why. */
async function diffOf({ bound }: Proposal, context: ToolContext): Promise<string | undefined> {
  return bound.preview?.(context).catch(() => undefined);
}

function approvalAsk(
  run: Run,
  { call, tool, bound: { args }, facts, decision }: Proposal,
  hash: string,
  diff: string | undefined,
) {
  const remember = rememberable(run, tool, facts);
  const { reason, rule, code, part, parts } = decision;
  const payload = {
    tool: tool.name,
    arguments: args,
    reason,
    rule,
    code,
    ...(part === undefined ? {} : { part }),
    ...(remember === null ? {} : { remember }),
    ...(parts === undefined ? {} : { parts }),
    ...(diff === undefined ? {} : { diff }),
    ...facts,
  } as unknown as Readonly<Record<string, Json>>;
  return { kind: 'approval' as const, title: callTitle(tool.name, args), payload, callId: call.id, hash };
}

/** An interaction with the expiry that the task's settings give it. A question that nobody answers in time counts as cancelled. */
export function newInteraction(
  run: Run,
  ask: Pick<NewInteraction, 'kind' | 'title' | 'payload' | 'callId' | 'hash'>,
): NewInteraction {
  const { expiresAfterMs, onExpiry } = run.state.task.definition.asks;
  const fallback: Record<NewInteraction['kind'], InteractionAnswer> = {
    approval: { decision: onExpiry },
    question: { cancel: true },
    plan: { decision: 'revise', remarks: 'Nobody reviewed the plan in time.' },
    budget: { decision: 'stop' },
    mistakes: { decision: 'stop' },
  };
  return {
    ...ask,
    id: run.deps.newId('ask'),
    turn: run.state.task.turns,
    expiresInMs: expiresAfterMs,
    expiryAnswer: expiresAfterMs === null ? null : fallback[ask.kind],
  };
}

function recorded({ verdict, rule, code, reason, part }: Decision): ApprovalDecision {
  return {
    verdict,
    rule,
    reason,
    by: 'policy',
    code,
    ...(part === undefined ? {} : { part }),
  };
}

function notOffered({ tools, state }: Run, name: string): string {
  const offered = offeredTools(tools, state.task).map((tool) => tool.name);
  const list = offered.length === 0 ? 'none' : offered.join(', ');
  return tools.has(name)
    ? `${name} cannot be used in autonomy ${state.task.autonomy}. Available tools: ${list}.`
    : `There is no tool named ${name} in this task. Available tools: ${list}.`;
}
