/** Verdicts on lines apart from any task: for `policy test` and its route. */
import { DEFAULT_ASKS, type CommandVerdictView, type PolicyTestSettings } from '@bullpen/contracts';
import {
  ALL_APPROVALS,
  effectivePolicy,
  judgeUnder,
  protectionOf,
  type CommandContext,
  type EffectivePolicy,
} from '@bullpen/core';
import { judgeCommand } from './judge-command.js';
import { lexicalContext } from './lexical-context.js';

/** The policy that settings for a trial stand for: what they do not turn off is on. */
export function policyForTrial({ approvals, rules }: PolicyTestSettings): EffectivePolicy {
  const definition = { approvals: { ...ALL_APPROVALS, ...approvals }, rules, asks: DEFAULT_ASKS };
  return effectivePolicy(definition, {});
}

/**
 * The verdict under a policy. Without the facts of a workspace paths are judged by their text, and every tool that the policy
 * knows counts as installed.
 */
export function tryCommand(
  command: string,
  policy: EffectivePolicy,
  context: CommandContext = textOnly(policy),
): CommandVerdictView {
  const verdict = judgeUnder(policy, command, '.', (line, settings) => judgeCommand(line, settings, context));
  const { decision, reason, rule, message, span } = verdict;
  return {
    ...{ command, decision, reason, rule, message },
    span: span && { start: span.start, end: span.end, text: span.text },
    parts: verdict.parts.map((part) => ({
      text: part.text,
      decision: part.decision,
      reason: part.reason,
      rule: part.rule,
      message: part.message,
    })),
  };
}

function textOnly(policy: EffectivePolicy): CommandContext {
  return lexicalContext({
    isProtected: (path) => path !== '' && protectionOf(path, policy.rules.files) !== null,
  });
}
