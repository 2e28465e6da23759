/** Verdicts on lines apart from any task: for `policy test` and its route. */
import { DEFAULT_ASKS, type CommandVerdictView, type PolicyTestSettings } from '@bullpen/contracts';
import {
  ALL_APPROVALS,
  effectivePolicy,
  judgeUnder,
  type CommandContext,
  type CommandSettings,
  type EffectivePolicy,
} from '@bullpen/core';
import { judgeCommand } from './judge-command.js';
import { lexicalContext } from './lexical-context.js';

/** The policy that settings for a trial stand for: what they do not turn off is on. */
export function policyForTrial({ approvals, rules }: PolicyTestSettings): EffectivePolicy {
  const definition = { approvals: { ...ALL_APPROVALS, ...approvals }, rules, asks: DEFAULT_ASKS };
  return effectivePolicy(definition, {});
}

/** The verdict under a policy, with the facts of a workspace as a worker would have them, or by text alone. */
export function tryCommand(
  command: string,
  policy: EffectivePolicy,
  factsFor: (settings: CommandSettings) => CommandContext,
): CommandVerdictView {
  const verdict = judgeUnder(policy, command, '.', (line, settings) =>
    judgeCommand(line, settings, factsFor(settings)),
  );
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

/** Without the files of a workspace: paths and patterns are judged by their text. */
export function textOnly(boxed: boolean): (settings: CommandSettings) => CommandContext {
  return ({ openedHosts }) => lexicalContext({ boxed, openedHosts });
}
