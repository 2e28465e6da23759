/** Every rule by its id, with the coarser reason that programs may rely on. Ids and reasons are stable; messages are not. */
import type { CommandDecision, Span } from './types.js';

const RULES = {
  'approve.known': 'known_harmless',
  'approve.list': 'allowed_by_list',
  'approve.exception': 'dangerous_exception',
  'list.deny': 'denied_by_list',
  'execute.off': 'execution_not_allowed',
  'write.off': 'writing_not_allowed',
  'project_code.off': 'project_code_not_allowed',
  'project_code.written_here': 'writes_what_it_runs',
  'project_code.shadows': 'unknown_script',
  'line.empty': 'empty_line',
  'line.too_long': 'too_complex',
  'line.too_many_commands': 'too_complex',
  'line.too_deep': 'too_complex',
  'parse.error': 'not_parsed',
  'parse.disagreement': 'not_parsed',
  'character.control': 'hidden_character',
  'character.invisible': 'hidden_character',
  'character.look_alike': 'hidden_character',
  'subset.expansion': 'outside_subset',
  'subset.substitution': 'outside_subset',
  'subset.ansi_quote': 'outside_subset',
  'subset.brace': 'outside_subset',
  'subset.glob': 'outside_subset',
  'subset.tilde': 'outside_subset',
  'subset.history': 'outside_subset',
  'subset.continuation': 'outside_subset',
  'subset.background': 'outside_subset',
  'subset.compound': 'outside_subset',
  'subset.function': 'outside_subset',
  'subset.assignment': 'outside_subset',
  'subset.redirection': 'outside_subset',
  'subset.program_word': 'outside_subset',
  'environment.unknown': 'environment_not_known',
  'program.unknown': 'unknown_program',
  'program.path': 'unknown_program',
  'program.runs_code': 'runs_given_code',
  'program.unknown_subcommand': 'unknown_use',
  'program.runs_script': 'unknown_script',
  'program.not_installed': 'unknown_program',
  'program.network': 'uses_network',
  'flags.unknown': 'unknown_flag',
  'flags.refused': 'refused_flag',
  'flags.value': 'unknown_use',
  'operands.unexpected': 'unknown_use',
  'wrapper.flags': 'unknown_flag',
  'path.outside': 'outside_workspace',
  'path.protected': 'protected_file',
  'path.hidden': 'protected_file',
  'path.moved_here': 'outside_workspace',
  'path.unseen': 'too_complex',
  'git.hooks': 'runs_hooks',
  'git.other_folder': 'outside_workspace',
  'dangerous.delete': 'dangerous',
  'dangerous.delete_system': 'catastrophic',
  'dangerous.truncate': 'dangerous',
  'dangerous.sql': 'dangerous',
  'dangerous.disk': 'dangerous',
  'dangerous.disk_erase': 'catastrophic',
  'dangerous.device': 'dangerous',
  'dangerous.device_write': 'catastrophic',
  'dangerous.permissions': 'dangerous',
  'dangerous.permissions_system': 'catastrophic',
  'dangerous.privilege': 'dangerous',
  'dangerous.git': 'dangerous',
  'dangerous.download_run': 'catastrophic',
  'dangerous.download_then_run': 'dangerous',
  'dangerous.decoded_run': 'catastrophic',
  'dangerous.stdin_run': 'dangerous',
  'dangerous.fork_bomb': 'catastrophic',
  'dangerous.power': 'dangerous',
  'dangerous.kill': 'dangerous',
  'dangerous.credentials': 'dangerous',
  'dangerous.publish': 'dangerous',
  'dangerous.cloud': 'dangerous',
  'dangerous.service': 'dangerous',
  'dangerous.container': 'dangerous',
  'dangerous.network_shell': 'dangerous',
  'dangerous.environment': 'dangerous',
} as const;

export type RuleId = keyof typeof RULES;

/** All rule ids, for tests and docs. */
export const RULE_IDS = Object.keys(RULES) as RuleId[];

/** The stable code for a rule. */
export function reasonOf(rule: RuleId): string {
  return RULES[rule];
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
  return RULES[rule] === 'catastrophic' || rule === 'list.deny';
}

/** Only an exact exception lifts these (and the final ones nothing does). */
function isDangerous(rule: RuleId): boolean {
  return rule.startsWith('dangerous.');
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
