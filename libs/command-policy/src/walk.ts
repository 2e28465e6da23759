/** Walks the tree of a parsed line and hands every simple command to its judge, from left to right. */
import {
  forEachChild,
  parse,
  type Command,
  type ParsedScript,
  type Pipeline,
  type Redirection,
  type Statement,
  type SyntaxNode,
} from 'unbash';
import { NO_INPUT, type Input } from './call.js';
import { judgeCall } from './judge-call.js';
import type { LineState, PartRecord } from './line-state.js';
import { judgeRedirection } from './redirects.js';
import { outputOf } from './scripts.js';
import { isCommandVariable, judgeAssignment } from './environment.js';
import { finding, type Finding } from './rules.js';
import { fixedSource, scriptSource, type Source } from './source.js';
import { assign, readWord, unquote, type Arg } from './words.js';

/** Scripts in scripts; deeper than people read, and each level costs the parser another look at the text. */
const MAX_DEPTH = 8;

/** Parses and walks a script. What cannot be parsed is a finding; what was understood of it is judged all the same. */
export function walkText(source: Source, state: LineState, input: Input): void {
  if (state.depth >= MAX_DEPTH) {
    state.findings.push(
      finding(
        'line.too_deep',
        'Commands are nested too deeply to judge.',
        source.span(0, source.text.length),
      ),
    );
    return;
  }
  walkScript(parse(source.text), source, state, input);
}

function walkScript(script: ParsedScript, source: Source, state: LineState, input: Input): void {
  const own =
    script.source === undefined ? source : fixedSource(script.source, source.span(script.pos, script.end));
  state.depth += 1;
  const folders = state.folders;
  if (state.depth > MAX_DEPTH) {
    state.findings.push(
      finding('line.too_deep', 'Commands are nested too deeply to judge.', own.span(script.pos, script.end)),
    );
  } else {
    for (const statement of script.commands) walkStatement(statement, own, state, input);
    for (const error of script.errors ?? []) {
      const message = `The line cannot be parsed: ${error.message}.`;
      state.findings.push(
        finding('parse.error', message, own.span(error.pos, Math.min(error.pos + 1, own.text.length))),
      );
    }
  }
  state.depth -= 1;
  if (state.depth > 0) {
    state.folders = folders;
    state.cdTargets = null;
  }
}

function walkStatement(statement: Statement, source: Source, state: LineState, input: Input): void {
  walkNode(statement.command, source, state, input);
  if (statement.background === true) {
    const span = source.span(statement.pos, statement.end);
    state.findings.push(finding('subset.background', 'The command keeps running in the background.', span));
  }
}

function walkNode(node: SyntaxNode, source: Source, state: LineState, input: Input): void {
  state.cdTargets = null;
  switch (node.type) {
    case 'Command':
      walkCommand(node, source, state, input);
      return;
    case 'Pipeline':
      walkPipeline(node, source, state, input);
      return;
    case 'AndOr': {
      let reachable = state.folders;
      node.commands.forEach((command, at) => {
        walkNode(command, source, state, input);
        reachable = [...new Set([...reachable, ...state.folders])].slice(0, 32);
        // Behind `cd a &&` the shell is in `a`; behind `||` nobody knows.
        state.folders = node.operators[at] === '&&' ? (state.cdTargets ?? state.folders) : reachable;
      });
      state.folders = reachable;
      state.cdTargets = null;
      return;
    }
    case 'Subshell': {
      const { folders } = state;
      for (const statement of node.body.commands) walkStatement(statement, source, state, input);
      state.folders = folders;
      state.cdTargets = null;
      return;
    }
    case 'BraceGroup':
      for (const statement of node.body.commands) walkStatement(statement, source, state, input);
      state.cdTargets = null;
      return;
    case 'Redirected':
      walkRedirected(node.command, node.redirects, source, state, input);
      return;
    case 'Function':
      walkFunction(node, source, state);
      return;
    default:
      walkCompound(node, source, state, input);
  }
}

/** Loops, conditions and the like. A command of a loop runs again, with other values of its variables. */
function walkCompound(node: SyntaxNode, source: Source, state: LineState, input: Input): void {
  const span = source.span(node.pos, Math.min(node.end, node.pos + 12));
  state.findings.push(
    finding('subset.compound', 'Loops, conditions and similar constructs are not approved.', span),
  );
  const isLoop = /^(For|Select|While)$/.test(node.type);
  if (node.type === 'For' || node.type === 'Select') assign(state.variables, node.name.value, null);
  state.loops += isLoop ? 1 : 0;
  descend(node, source, state, input);
  state.loops -= isLoop ? 1 : 0;
}

/** Judges whatever commands are below a node, wherever they hide. */
function descend(node: SyntaxNode, source: Source, state: LineState, input: Input): void {
  forEachChild(node, (child) => {
    if (child.type === 'Statement') walkStatement(child, source, state, input);
    else if (child.type === 'Script') walkScript(child, source, state, NO_INPUT);
    else if (child.type === 'Command' || child.type === 'Pipeline') walkNode(child, source, state, input);
    else descend(child, source, state, input);
  });
}

function walkPipeline(node: Pipeline, source: Source, state: LineState, input: Input): void {
  const { folders } = state;
  let previous: Input = input;
  const start = state.parts.length;
  node.commands.forEach((command, at) => {
    const stageStart = state.parts.length;
    walkNode(command, source, state, previous);
    const stage = state.parts.slice(stageStart);
    previous = {
      text: at === 0 || previous.text === null ? outputOf(stage) : null,
      upstream: state.parts.slice(start),
    };
  });
  // Each command of a pipeline is a shell of its own.
  if (node.commands.length > 1) state.folders = folders;
  // `! cd a && …` goes on where `cd` failed.
  state.cdTargets = null;
}

function walkRedirected(
  inner: SyntaxNode,
  redirects: readonly Redirection[],
  source: Source,
  state: LineState,
  input: Input,
): void {
  const before = state.parts.length;
  walkNode(inner, source, state, { ...input, text: inputText(redirects) ?? input.text });
  const span = source.span(inner.pos, inner.end);
  const nothing: PartRecord = {
    args: [],
    program: null,
    span,
    input: null,
    findings: [],
    approvedBy: 'approve.known',
  };
  const part = state.parts[before] ?? nothing;
  for (const redirect of redirects) {
    state.findings.push(...judgeRedirection(redirect, source, part, state));
    descend(redirect, source, state, NO_INPUT);
  }
  state.cdTargets = null;
}

/** A function could take the place of any program; one that calls itself twice takes the machine. */
function walkFunction(
  node: Extract<SyntaxNode, { type: 'Function' }>,
  source: Source,
  state: LineState,
): void {
  const span = source.span(node.pos, node.end);
  state.findings.push(
    finding(
      'subset.compound',
      'A function can take the place of a program.',
      source.span(node.name.pos, node.name.end),
    ),
  );
  const before = state.parts.length;
  state.loops += 1;
  descend(node.body, source, state, NO_INPUT);
  state.loops -= 1;
  const callsItself = state.parts.slice(before).some((part) => part.args[0]?.value === node.name.value);
  const body = source.text.slice(node.body.pos, node.body.end);
  if (callsItself && /[|&]/.test(body)) {
    state.findings.push(
      finding(
        'dangerous.fork_bomb',
        'The function starts itself again and again until the machine stops responding.',
        span,
      ),
    );
  }
}

function inputText(redirects: readonly Redirection[]): string | null {
  for (const redirect of redirects) {
    if (redirect.type === 'HereDoc') return redirect.body.text;
    if (redirect.type === 'HereString') return redirect.target?.value ?? null;
  }
  return null;
}

function walkCommand(command: Command, source: Source, state: LineState, input: Input): void {
  const span = source.span(command.pos, command.end);
  const findings: Finding[] = [];
  for (const each of command.prefix) {
    if (each.type === 'Assignment')
      findings.push(...walkAssignment(each, command.name === undefined, source, state));
  }
  const words = command.suffix.filter((each) => each.type === 'Word' || each.type === 'Assignment');
  const args: Arg[] =
    command.name === undefined
      ? []
      : [readWord(command.name, source.span(command.name.pos, command.name.end), state.variables)];
  for (const word of words)
    args.push(
      word.type === 'Word'
        ? readWord(word, source.span(word.pos, word.end), state.variables)
        : assigned(word, source, state),
    );
  // Commands in substitutions run first, and what they are says what the words may become.
  const before = state.parts.length;
  for (const each of [
    ...command.prefix,
    ...(command.name === undefined ? [] : [command.name]),
    ...command.suffix,
  ]) {
    if (mayHoldCommands(each)) descend(each, source, state, NO_INPUT);
  }
  const text = inputText(command.redirects);
  judgeCall(args, state, {
    span,
    source,
    findings,
    redirects: command.redirects,
    input: text === null ? input : { text, upstream: [] },
    substituted: state.parts.slice(before),
    judgeText: (nested, nestedInput) => walkText(nested, state, nestedInput),
  });
}

function mayHoldCommands(node: SyntaxNode): boolean {
  return node.type !== 'Word' || node.parts !== undefined;
}

type AssignmentNode = Extract<SyntaxNode, { type: 'Assignment' }>;

/** An assignment before a command, or alone: then later commands see it. */
function walkAssignment(node: AssignmentNode, isAlone: boolean, source: Source, state: LineState): Finding[] {
  const span = source.span(node.pos, node.end);
  const value = node.value.type === 'Word' ? readWord(node.value, span, state.variables) : null;
  const isPlain = node.append !== true && node.index === undefined && value?.kind === 'literal';
  if (isAlone) assign(state.variables, node.name, isPlain || node.append !== true ? wordText(node) : null);
  if (value !== null && isCommandVariable(node.name)) walkText(scriptSource(value, source), state, NO_INPUT);
  const found = judgeAssignment(node.name, isPlain ? value.value : null, span);
  const changes = finding('subset.assignment', 'An assignment can change what later commands do.', span);
  return [...(found === null ? [] : [found]), ...(isAlone ? [changes] : [])];
}

function wordText({ value }: AssignmentNode): string | null {
  return value.type === 'Word' ? value.text : null;
}

/** `export A=b` and the like. */
function assigned(node: AssignmentNode, source: Source, state: LineState): Arg {
  const span = source.span(node.pos, node.end);
  const { kind, value, trouble } = unquote(node.text);
  assign(state.variables, node.name, wordText(node));
  const isPlain = trouble === null && node.value.type === 'Word' && kind === 'literal';
  const doubt = finding('subset.assignment', 'The assignment holds more than plain text.', span);
  return {
    kind: isPlain ? 'literal' : 'unknown',
    value,
    span,
    quoted: false,
    trouble: isPlain ? null : doubt,
  };
}
