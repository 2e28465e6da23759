/**
 * Whether a tool call may run: approved, denied, or asked. Pure. Each step of the order below gives a verdict or none; a denial
 * of any step beats an ask of any other, and that beats an approval.
 */
import { AUTONOMIES } from '@bullpen/contracts';
import { offeredIn } from '../../task/autonomy.js';
import type { CallFacts, TouchedPath } from '../../ports/tool.js';
import { categoryDecision } from './category.js';
import type { CommandSettings, CommandVerdictLike, JudgeCommand } from '../../ports/command-judge.js';
import type { Decision, DecisionContext, Judged, PolicyCall } from './decision.js';
import type { EffectivePolicy } from './layers.js';
import { protectionOf } from './protected-files.js';

/** The decision about a call. It stays `ask` even if nobody may be there to answer: see `withoutAnyone`. */
export function decide(call: PolicyCall, policy: EffectivePolicy, context: DecisionContext): Decision {
  const notOffered = offerDecision(call, context);
  if (notOffered !== null) return notOffered;
  const { tool, group, facts } = call;
  if (group === 'completion')
    return { verdict: 'approve', rule: 'completion', code: 'completion', reason: 'Ends the task.' };
  const { command } = facts;
  const judged =
    command === undefined || command === null ? null : judge(command, facts.cwd ?? '.', policy, context);
  const category = categoryDecision(tool, group, policy, command !== undefined);
  const found = [
    tightenedDecision(facts),
    deniedTool(tool, policy),
    ...(facts.paths ?? []).map((path) => pathDecision(path, policy)),
    // Whether commands are off altogether is decided by the category.
    judged?.rule === 'execute.off' ? null : judged,
    category,
  ].filter((decision) => decision !== null);
  const strictest =
    found.find(({ verdict }) => verdict === 'deny') ??
    found.find(({ verdict }) => verdict === 'ask') ??
    // The finding about a command says more than that its category is on.
    found[0] ??
    category;
  return judged === null ? strictest : { ...strictest, parts: judged.parts };
}

/** The decision where there is nobody to ask: an ask becomes a denial that tells the model what to do instead. */
export function withoutAnyone(decision: Decision): Decision {
  if (decision.verdict !== 'ask') return decision;
  return {
    ...decision,
    verdict: 'deny',
    reason:
      `${decision.reason} Nobody can be asked, so it was not done. ` +
      'Do not try again; go on with work that does not need it, and say what you could not do.',
  };
}

/** What judging a command line needs to know of a policy. */
function commandSettingsOf({ approvals, rules }: EffectivePolicy): CommandSettings {
  return {
    allowExecute: approvals.alwaysAllowExecute,
    allowWrite: approvals.alwaysAllowWrite,
    allow: rules.commands.allow,
    deny: rules.commands.deny,
    dangerousExceptions: rules.commands.exceptions,
    files: rules.files,
    openedHosts: rules.network.allow,
  };
}

/** The verdict on a line under a policy, wider layers' denials included. */
export function judgeUnder(
  policy: EffectivePolicy,
  line: string,
  cwd: string,
  judgeCommand: JudgeCommand,
): CommandVerdictLike {
  const settings = commandSettingsOf(policy);
  const verdict = judgeCommand(line, settings, cwd);
  if (verdict.decision === 'deny') return verdict;
  for (const { allow, deny } of policy.bounds) {
    const bound = judgeCommand(line, { ...settings, allow, deny }, cwd);
    if (bound.rule === 'list.deny') return bound;
  }
  return verdict;
}

function offerDecision({ tool, group }: PolicyCall, context: DecisionContext): Decision | null {
  const { autonomy, offered } = context;
  const fits = offeredIn(autonomy, group);
  if (offered && fits) return null;
  const why = fits ? 'the task does not have this tool' : AUTONOMIES[autonomy].withheld;
  return {
    verdict: 'deny',
    rule: fits ? 'tools' : 'autonomy',
    code: 'not_offered',
    reason: `${tool} is not available: ${why}.`,
  };
}

function tightenedDecision({ tightened }: CallFacts): Decision | null {
  return tightened === undefined ? null : { ...tightened, code: 'tightened_by_tool' };
}

function deniedTool(tool: string, { rules }: EffectivePolicy): Decision | null {
  if (!rules.tools.deny.includes(tool)) return null;
  const reason = `${tool} is on the list of denied tools.`;
  return { verdict: 'deny', rule: 'tools.deny', code: 'denied_by_list', reason, part: tool };
}

function pathDecision(touched: TouchedPath, { rules }: EffectivePolicy): Decision | null {
  const { path, access, place } = touched;
  const shown = JSON.stringify(path);
  if (place === 'outside') {
    const reason = `${shown} leads out of the workspace.`;
    return { verdict: 'deny', rule: 'path.outside', code: 'outside_workspace', reason, part: path };
  }
  if (place === 'hidden') {
    const reason = `${shown} is hidden from agents.`;
    return { verdict: 'deny', rule: 'path.hidden', code: 'hidden_file', reason, part: path };
  }
  const protection = protectionOf(path, rules.files);
  if (protection === 'secret') {
    const reason = `${shown} may hold secrets, so a person has to approve this.`;
    return { verdict: 'ask', rule: 'path.secret', code: 'secret_file', reason, part: path };
  }
  if (protection === null || access === 'read') return null;
  const why =
    protection === 'listed' ? 'is on the list of protected files' : 'tells other programs what to do';
  const reason = `${shown} ${why}, so a person has to approve the change.`;
  return { verdict: 'ask', rule: 'path.protected', code: 'protected_file', reason, part: path };
}

function judge(line: string, cwd: string, policy: EffectivePolicy, context: DecisionContext): Judged {
  const verdict = judgeUnder(policy, line, cwd, context.judgeCommand);
  const parts = verdict.parts.map(({ text, decision, reason, rule, message }) => ({
    text,
    decision,
    reason,
    rule,
    message,
  }));
  // A person cannot approve access to a hidden path either: they have to unhide it.
  const hiding = verdict.decision === 'ask' && verdict.parts.find(({ rule }) => rule === 'path.hidden');
  if (hiding) {
    const { rule, message, span } = hiding;
    return { verdict: 'deny', rule, code: 'hidden_file', reason: message, part: span.text, parts };
  }
  return {
    verdict: verdict.decision,
    rule: verdict.rule,
    code: verdict.reason,
    reason: verdict.message,
    ...(verdict.span !== null && { part: verdict.span.text }),
    parts,
  };
}
