/** What is dangerous about one command, by its meaning. Lists do not lift these; exact exceptions lift those that ask. */
import type { LineState } from '../line-state.js';
import { gitWords, isInterpreter, isShell } from '../program-name.js';
import { finding, holds, type Finding } from '../rules.js';
import type { Arg } from '../arg.js';
import { operandsOf, type Call } from './call.js';
import { DELETERS, deletions, endangers } from './deletion.js';
import { destructiveSql, isSqlClient } from './sql.js';
import { DANGERS, type Danger } from './table.js';

/** Every danger in a call. `input` is the text that the program gets by a here-document or from an `echo`, when known. */
export function findDangers(given: Call, input: string | null, state: LineState): Finding[] {
  const isGit = given.program === 'git';
  const call = isGit ? { ...given, args: gitWords(given.args) } : given;
  const globals = isGit ? given.args.slice(0, given.args.length - call.args.length) : [];
  if (
    call.args.length > 0 &&
    call.args.every(({ value }) => /^(--help|--version|-V|help|version)$/.test(value))
  )
    return [];
  const findings = deletions(call, state);
  const operands = operandsOf(call);
  const texts = operands.map(({ value }) => value).join(' ');
  for (const danger of DANGERS) {
    if (!danger.programs.test(call.program)) continue;
    const found = meets(danger, call, [...globals, ...call.args], texts, state);
    if (found !== null) findings.push(found);
  }
  if (isSqlClient(call.program)) findings.push(...sql(call, input));
  if (isInterpreter(call.program) || /^([gmn]?awk|sed)$/.test(call.program))
    findings.push(...code(call, input, state));
  return findings;
}

/** A row's finding, when its conditions hold; when words that nobody can read decide, that the call is not clear. */
function meets(
  danger: Danger,
  { program, span }: Call,
  words: readonly Arg[],
  texts: string,
  { context }: LineState,
): Finding | null {
  const { rule, sub, word, but, message } = danger;
  if (but !== null && words.some(({ value }) => but.test(value))) return null;
  const first = words.find(({ value }) => !value.startsWith('-'));
  const isSub = sub === null || sub.test(texts);
  const mayBeSub = isSub || first?.kind === 'unknown';
  const named = word === null ? undefined : words.find(({ value }) => word.test(value));
  if (isSub && (word === null || named !== undefined)) return finding(rule, message, named?.span ?? span);
  const hidden = words.find(
    ({ kind, span: { text } }) => kind === 'unknown' && !/^['"]?[^'"$`{-]/.test(text),
  );
  if (!mayBeSub || hidden === undefined || sub === null || !holds(rule, context)) return null;
  return finding(
    'program.unclear',
    `It is not clear what ${program} does with ${hidden.span.text}.`,
    hidden.span,
  );
}

function sql({ args, span }: Call, input: string | null): Finding[] {
  const texts = [
    ...args.map((arg) => ({ text: arg.value.replace(/^(--\w+=|-[ceqQ](?=\w))/, ''), at: arg.span })),
    { text: input ?? '', at: span },
  ];
  for (const { text, at } of texts) {
    const statement = destructiveSql(text);
    if (statement !== null) return [finding('dangerous.sql', `The SQL destroys data: ${statement}`, at)];
  }
  return [];
}

/** Calls by which code in another language deletes, or starts a command that does. A help for people, no wall. */
const DELETING_CALLS =
  /\b(rmtree|rmSync|rmdirSync|unlinkSync|rm_rf|rm_r|rimraf|removeSync|emptyDirSync|remove_tree|removeAll|rmdir|os\.remove|os\.unlink|fs\.rm|fs\.unlink)\b\s*\(?\s*(['"`]?)([^'"`)]*)\2/g;
const SHELL_CALLS = /\brm\s+-\w*[rf]|\bgit\s+(push|reset\s+--hard|clean|checkout\s+--)|\bfind\b.*-delete/;

function code({ program, args, span }: Call, input: string | null, state: LineState): Finding[] {
  const isGiven =
    !isInterpreter(program) ||
    args.some(({ value }) => /^(-[a-zA-Z]*[cepr]|--eval|--print|eval)$/.test(value));
  const texts = [...(isGiven ? args.map(({ value }) => value) : []), ...(input === null ? [] : [input])];
  for (const text of texts) {
    const calls = [...text.matchAll(DELETING_CALLS)].some(([, , quote, value = '']) => {
      const arg: Arg = {
        kind: quote === '' ? 'unknown' : 'literal',
        value,
        span,
        quoted: true,
        trouble: null,
      };
      return endangers(arg, true, state);
    });
    if (calls || SHELL_CALLS.test(text))
      return [finding('dangerous.delete_work', `The code that ${program} is given deletes files.`, span)];
  }
  return [];
}

/** Whether a name is one of a program that can be dangerous, or that runs others. */
export function isWatched(program: string): boolean {
  const isKnown =
    /^(truncate|sponge|mv|tee|cp|find|eval|xargs|env|command)$/.test(program) || DELETERS.test(program);
  const isTold = isShell(program) || isSqlClient(program) || isInterpreter(program);
  return (
    isKnown ||
    isTold ||
    DANGERS.some(({ programs, rule }) => rule !== 'dangerous.environment' && programs.test(program))
  );
}
