/** Every rule by its id, with the coarser reason that programs may rely on. Ids and reasons are stable; messages are not. */
import type { CommandContext, CommandDecision, Span } from './types.js';

/**
 * Where a rule holds. `always`: in the box too. `open`: in the box only when hosts are opened. `unboxed`: the box bounds what the
 * rule is about, so that there it is no question.
 */
type Hold = 'always' | 'open' | 'unboxed';

const RULES = {
  'approve.known': ['known_harmless', 'always'],
  'approve.boxed': ['held_by_the_box', 'always'],
  'approve.list': ['allowed_by_list', 'always'],
  'approve.exception': ['dangerous_exception', 'always'],
  'list.deny': ['denied_by_list', 'always'],
  'execute.off': ['execution_not_allowed', 'always'],
  'line.empty': ['empty_line', 'always'],
  'line.too_long': ['too_complex', 'always'],
  'line.too_deep': ['too_complex', 'always'],
  'line.too_many_commands': ['too_complex', 'unboxed'],
  'parse.error': ['not_parsed', 'always'],
  'parse.disagreement': ['not_parsed', 'always'],
  'character.control': ['hidden_character', 'always'],
  'character.invisible': ['hidden_character', 'always'],
  'character.look_alike': ['hidden_character', 'always'],
  'subset.expansion': ['outside_subset', 'unboxed'],
  'subset.glob': ['outside_subset', 'unboxed'],
  'subset.continuation': ['outside_subset', 'unboxed'],
  'subset.background': ['outside_subset', 'unboxed'],
  'subset.compound': ['outside_subset', 'unboxed'],
  'subset.assignment': ['outside_subset', 'unboxed'],
  'subset.redirection': ['outside_subset', 'unboxed'],
  'program.word': ['unknown_program', 'unboxed'],
  'program.unknown': ['unknown_program', 'unboxed'],
  'program.unclear': ['unclear_program', 'always'],
  'program.runs_code': ['runs_given_code', 'unboxed'],
  'program.shadowed': ['runs_given_code', 'unboxed'],
  'program.publishes': ['publishes', 'always'],
  'use.unknown': ['unknown_use', 'unboxed'],
  'path.write': ['writes', 'unboxed'],
  'path.outside': ['outside_workspace', 'unboxed'],
  'path.hidden': ['protected_file', 'unboxed'],
  'path.unseen': ['too_complex', 'unboxed'],
  'git.settings': ['runs_given_code', 'unboxed'],
  'dangerous.delete': ['dangerous', 'unboxed'],
  'dangerous.delete_work': ['dangerous', 'always'],
  'dangerous.delete_system': ['catastrophic', 'always'],
  'dangerous.git': ['dangerous', 'always'],
  'dangerous.sql': ['dangerous', 'always'],
  'dangerous.publish': ['dangerous', 'always'],
  'dangerous.upload': ['dangerous', 'open'],
  'dangerous.cloud': ['dangerous', 'open'],
  'dangerous.stdin_run': ['dangerous', 'always'],
  'dangerous.disk': ['dangerous', 'unboxed'],
  'dangerous.disk_erase': ['catastrophic', 'always'],
  'dangerous.device_write': ['catastrophic', 'always'],
  'dangerous.permissions': ['dangerous', 'unboxed'],
  'dangerous.permissions_system': ['catastrophic', 'always'],
  'dangerous.privilege': ['dangerous', 'unboxed'],
  'dangerous.download_run': ['catastrophic', 'always'],
  'dangerous.decoded_run': ['catastrophic', 'always'],
  'dangerous.fork_bomb': ['catastrophic', 'always'],
  'dangerous.machine': ['dangerous', 'unboxed'],
  'dangerous.credentials': ['dangerous', 'unboxed'],
  'dangerous.container': ['dangerous', 'unboxed'],
  'dangerous.environment': ['dangerous', 'unboxed'],
} as const satisfies Readonly<Record<string, readonly [reason: string, hold: Hold]>>;

export type RuleId = keyof typeof RULES;

/** All rule ids, for tests and docs. */
export const RULE_IDS = Object.keys(RULES) as RuleId[];

/** The stable code for a rule. */
export function reasonOf(rule: RuleId): string {
  return RULES[rule][0];
}

/** Whether a finding is one where the command would run: the box bounds most of them. */
export function holds(rule: RuleId, { boxed, openedHosts }: CommandContext): boolean {
  const hold: Hold = RULES[rule][1];
  return !boxed || hold === 'always' || (hold === 'open' && openedHosts.length > 0);
}

/** Something in the line that keeps it from being approved. */
export interface Finding {
  readonly decision: CommandDecision;
  readonly rule: RuleId;
  readonly message: string;
  readonly span: Span;
}

/** A finding; catastrophic rules and the deny list deny, all others ask. */
export function finding(rule: RuleId, message: string, span: Span): Finding {
  return { decision: isFinal(rule) ? 'deny' : 'ask', rule, message, span };
}

/** No list and no exception lifts these. */
export function isFinal(rule: RuleId): boolean {
  return reasonOf(rule) === 'catastrophic' || rule === 'list.deny';
}

/** Only an exact exception lifts these (and the final ones nothing does). */
function isDangerous(rule: RuleId): boolean {
  return rule.startsWith('dangerous.');
}

/** Where nobody knows what the line holds, nobody knows whether it holds something denied. */
export function isUnread(rule: RuleId): boolean {
  return rule === 'parse.error' || rule === 'line.too_long' || rule === 'line.too_deep';
}

/** The finding that decides: deny before ask, danger before what hides, that before mere doubt, then the first in the line. */
export function worst(findings: readonly Finding[]): Finding | null {
  let found: Finding | null = null;
  for (const each of findings) if (found === null || weight(each) > weight(found)) found = each;
  return found;
}

function weight({ decision, rule }: Finding): number {
  if (decision === 'deny') return rule === 'list.deny' ? 4 : 3;
  if (isDangerous(rule)) return 2;
  return rule === 'character.control' || rule === 'character.invisible' ? 1.5 : 1;
}
