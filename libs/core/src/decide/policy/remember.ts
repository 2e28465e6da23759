/** "Approve and remember": the narrowest rules that let the same call pass the next time, found by trying. Pure. */
import { NO_RULES, type PolicyLayer, type PolicyRules } from '@bullpen/contracts';
import { decide, judgeUnder } from './decide.js';
import type { CommandPartLike } from '../../ports/command-judge.js';
import type { DecisionContext, PolicyCall } from './decision.js';
import { EMPTY_LAYER, joinRules, type EffectivePolicy } from './layers.js';
import { CATEGORY_OF, type Category } from './settings.js';

/** What is added to a layer, and what that means in words. */
export interface RememberedRule {
  readonly patch: PolicyLayer;
  readonly sentence: string;
}

/**
 * The rules under which a call that was asked would be approved, or null when no rule can do that: catastrophic commands, what a
 * tool asks for by itself, what a wider layer has locked. Narrow ones are tried first: an exception or a list entry for just this,
 * then the category as well, if there is no narrower rule.
 */
export function rememberedRule(
  call: PolicyCall,
  policy: EffectivePolicy,
  context: DecisionContext,
): RememberedRule | null {
  if (decide(call, policy, context).verdict !== 'ask') return null;
  const lists = listCandidates(call, policy, context);
  for (const category of [null, categoryOf(call, policy)]) {
    for (const candidate of lists) {
      const patch = withCategory(candidate.rules, category);
      if (patch === null) continue;
      if (decide(call, patched(policy, patch), context).verdict !== 'approve') continue;
      return { patch, sentence: sentenceOf(candidate.words, category) };
    }
  }
  return null;
}

interface Candidate {
  readonly rules: PolicyRules;
  /** What these rules allow, as the end of "agents may". */
  readonly words: readonly string[];
}

const NOTHING: Candidate = { rules: NO_RULES, words: [] };

function listCandidates(call: PolicyCall, policy: EffectivePolicy, context: DecisionContext): Candidate[] {
  if (typeof call.facts.command === 'string')
    return commandCandidates(call.facts.command, call, policy, context);
  if (call.group === 'mcp') return [NOTHING, toolCandidate(call.tool)];
  const files = fileCandidate(call);
  return files === null ? [NOTHING] : [NOTHING, files];
}

function toolCandidate(tool: string): Candidate {
  return { rules: { ...NO_RULES, tools: { ...NO_RULES.tools, allow: [tool] } }, words: [`run ${tool}`] };
}

/** An exception for the very paths that the call touches. A name with a star in it would match others, too. */
function fileCandidate({ facts }: PolicyCall): Candidate | null {
  const paths = [...new Set((facts.paths ?? []).map(({ path }) => path))];
  if (paths.length === 0 || paths.some((path) => path.includes('*'))) return null;
  return {
    rules: { ...NO_RULES, files: { ...NO_RULES.files, exceptions: paths } },
    words: paths.map((path) => `open and change ${path}`),
  };
}

function commandCandidates(
  line: string,
  call: PolicyCall,
  policy: EffectivePolicy,
  context: DecisionContext,
): Candidate[] {
  // Whether commands are on at all does not matter here: only what speaks against these.
  const on = { ...policy, approvals: { ...policy.approvals, alwaysAllowExecute: true } };
  const { parts } = judgeUnder(on, line, call.facts.cwd ?? '.', context.judgeCommand);
  const asked = parts.filter(({ decision }) => decision === 'ask');
  const exact = asked.map(exactOf);
  const entries = asked.map((part) => (part.rule.startsWith('dangerous.') ? null : entryOf(part)));
  return [
    NOTHING,
    candidate(
      entries,
      exact.filter((_, at) => entries[at] === null),
    ),
    candidate([], exact),
    candidate([], [line.trim()]),
  ];
}

function candidate(allow: readonly (string | null)[], exceptions: readonly (string | null)[]): Candidate {
  const entries = { allow: known(allow), exceptions: known(exceptions) };
  return {
    rules: { ...NO_RULES, commands: { ...NO_RULES.commands, ...entries } },
    words: [
      ...entries.allow.map((entry) => `run every command that begins with “${entry}”`),
      ...entries.exceptions.map((entry) => `run exactly “${entry}”`),
    ],
  };
}

function known(entries: readonly (string | null)[]): string[] {
  return [...new Set(entries)].filter((entry) => entry !== null);
}

/** How many words after the program an entry has at most: `npm run lint`. */
const MAX_WORDS = 2;

/**
 * Program and subcommand, as words of an allow list. Null where that would be the program alone: it stands for everything that the
 * program can do.
 */
function entryOf({ words }: CommandPartLike): string | null {
  const [program, ...rest] = words;
  if (program === undefined || !isPlain(program)) return null;
  const end = rest.findIndex((word) => !isPlain(word));
  const chosen = rest.slice(0, Math.min(end < 0 ? rest.length : end, MAX_WORDS));
  return chosen.length === 0 ? null : [program, ...chosen].join(' ');
}

function isPlain(word: string): boolean {
  return /^[\w@.:/+][\w@.:/+=-]*$/.test(word);
}

/** The words of a command as an exception holds them; null when a word has a blank in it, which an exception cannot hold. */
function exactOf({ words }: CommandPartLike): string | null {
  return words.length > 0 && words.every((word) => /^\S+$/.test(word)) ? words.join(' ') : null;
}

/** The category that is off and blocks the call, if there is one. */
function categoryOf({ group }: PolicyCall, { approvals }: EffectivePolicy): Category | null {
  if (group === 'completion') return null;
  return approvals[CATEGORY_OF[group]] ? null : CATEGORY_OF[group];
}

function withCategory(rules: PolicyRules, category: Category | null): PolicyLayer | null {
  if (category === null) return rules === NO_RULES ? null : { ...EMPTY_LAYER, rules };
  return { ...EMPTY_LAYER, rules, approvals: { [category]: true } };
}

/** The policy as it would be with the patch on the task's layer. */
function patched(policy: EffectivePolicy, patch: PolicyLayer): EffectivePolicy {
  const on = Object.entries(patch.approvals).filter(([key]) => !policy.locked.includes(key as Category));
  return {
    ...policy,
    approvals: { ...policy.approvals, ...Object.fromEntries(on) },
    rules: joinRules(policy.rules, patch.rules),
  };
}

const CATEGORY_WORDS: Readonly<Record<Category, string>> = {
  alwaysAllowReadOnly: 'read files of the workspace',
  alwaysAllowWrite: 'change files of the workspace',
  alwaysAllowExecute: 'run commands that the command policy approves',
  alwaysAllowBrowser: 'use the browser',
  alwaysAllowMcp: 'run allowed tools of MCP servers',
  alwaysAllowModeSwitch: 'switch the mode',
  alwaysAllowSubtasks: 'start subtasks',
  alwaysAllowFollowupQuestions: 'ask questions',
  alwaysAllowUpdateTodoList: 'change the to-do list',
  alwaysApproveResubmit: 'begin the next attempt',
};

function sentenceOf(words: readonly string[], category: Category | null): string {
  const all = category === null ? words : [...words, `${CATEGORY_WORDS[category]} (${category})`];
  return `From now on, agents may ${all.join(', and ')} without asking.`;
}
