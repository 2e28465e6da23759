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
import { judgeCall, type Input } from './judge-call.js';
import type { LineState, PartRecord } from './line-state.js';
import { judgeRedirection } from './redirects.js';
import { judgeAssignment } from './environment.js';
import { finding, type Finding } from './rules.js';
import { fixedSource, type Source } from './source.js';
import { readWord, unquote, type Arg } from './words.js';

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
      state.findings.push(
        finding(
          'subset.compound',
          'Loops, conditions and similar constructs are not approved.',
          source.span(node.pos, Math.min(node.end, node.pos + 12)),
        ),
      );
      descend(node, source, state, input);
  }
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

const NO_INPUT: Input = { text: null, upstream: [] };

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

/** What a stage prints, when that can be read off the line. */
function outputOf(stage: readonly PartRecord[]): string | null {
  const [only] = stage;
  if (stage.length !== 1 || only === undefined) return null;
  if (only.program !== 'echo' && only.program !== 'printf') return null;
  return only.args
    .slice(1)
    .filter(({ value }) => !/^-[neE]+$/.test(value))
    .map(({ value }) => value)
    .join(' ')
    .replaceAll('\\n', '\n');
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
  const part = state.parts[before] ?? {
    args: [],
    program: null,
    span,
    findings: [],
    approvedBy: 'approve.known' as const,
  };
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
      'subset.function',
      'A function can take the place of a program.',
      source.span(node.name.pos, node.name.end),
    ),
  );
  const before = state.parts.length;
  descend(node.body, source, state, NO_INPUT);
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
    if (each.type !== 'Assignment') continue;
    const place = source.span(each.pos, each.end);
    const value = each.value.type === 'Word' ? readWord(each.value, place) : null;
    const isPlain = each.append !== true && each.index === undefined && value !== null;
    const known = isPlain && (value.kind === 'literal' || value.kind === 'glob') ? value.value : null;
    const found = judgeAssignment(each.name, known, place);
    if (found !== null) findings.push(found);
  }
  const words = command.suffix.filter((each) => each.type === 'Word' || each.type === 'Assignment');
  const args: Arg[] =
    command.name === undefined
      ? []
      : [readWord(command.name, source.span(command.name.pos, command.name.end))];
  for (const word of words)
    args.push(
      word.type === 'Word' ? readWord(word, source.span(word.pos, word.end)) : assigned(word, source),
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
    isAssignment: command.name === undefined && command.redirects.length === 0,
    input: text === null ? input : { text, upstream: [] },
    substituted: state.parts.slice(before),
    judgeText: (nested, nestedInput) => walkText(nested, state, nestedInput),
  });
}

function mayHoldCommands(node: SyntaxNode): boolean {
  return node.type !== 'Word' || node.parts !== undefined;
}

function assigned(node: Extract<SyntaxNode, { type: 'Assignment' }>, source: Source): Arg {
  const span = source.span(node.pos, node.end);
  const read = unquote(node.text);
  const isPlain = read.trouble === null && node.value.type === 'Word' && read.kind !== 'variable';
  const trouble = isPlain
    ? null
    : finding('subset.assignment', 'The assignment holds more than plain text.', span);
  return { kind: isPlain ? 'literal' : 'unknown', value: read.value, span, quoted: false, trouble };
}
