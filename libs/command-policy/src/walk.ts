/** Walks the tree of a parsed line and hands every simple command to its judge, from left to right. */
import {
  forEachChild,
  parse,
  type Command,
  type ParsedScript,
  type Pipeline,
  type Redirection,
  type SyntaxNode,
} from 'unbash';
import { NO_INPUT, type Input } from './call.js';
import { judgeCall } from './judge-call.js';
import type { LineState, PartRecord } from './line-state.js';
import { judgeRedirection } from './redirects.js';
import { finding, type Finding, type RuleId } from './rules.js';
import { outputOf } from './scripts.js';
import { fixedSource, scriptSource, type Source } from './source.js';
import type { Arg } from './arg.js';
import { assign, readWord, unquote } from './words.js';

/** Scripts in scripts; deeper than people read, and each level costs the parser another look at the text. */
const MAX_DEPTH = 8;

/** Variables whose value is a command that other programs run. */
const COMMANDS =
  /^(GIT_(EDITOR|PAGER|SSH_COMMAND|SEQUENCE_EDITOR|EXTERNAL_DIFF|ASKPASS)|PAGER|MANPAGER|EDITOR|VISUAL|PROMPT_COMMAND|BROWSER)$/;

type Assignment = Extract<SyntaxNode, { type: 'Assignment' }>;
type Function = Extract<SyntaxNode, { type: 'Function' }>;

/** Parses and walks a script. What cannot be parsed is a finding; what was understood of it is judged all the same. */
export function walkText(source: Source, state: LineState, input: Input): void {
  new Walker(source, state).script(state.depth < MAX_DEPTH ? parse(source.text) : null, input);
}

class Walker {
  constructor(
    private readonly source: Source,
    private readonly state: LineState,
  ) {}

  script(script: ParsedScript | null, input: Input): void {
    const { state, source } = this;
    const { folders } = state;
    state.depth += 1;
    if (script === null || state.depth > MAX_DEPTH)
      this.note('line.too_deep', 'Commands are nested too deeply to judge.', 0, source.text.length);
    else {
      for (const statement of script.commands) this.node(statement, input);
      for (const { message, pos } of script.errors ?? [])
        this.note(
          'parse.error',
          `The line cannot be parsed: ${message}.`,
          pos,
          Math.min(pos + 1, source.text.length),
        );
    }
    state.depth -= 1;
    if (state.depth > 0) this.stay(folders);
  }

  private note(rule: RuleId, message: string, from: number, to: number): void {
    this.state.findings.push(finding(rule, message, this.source.span(from, to)));
  }

  /** What was judged last leaves the shell where it was. */
  private stay(folders = this.state.folders): void {
    this.state.folders = folders;
    this.state.cdTargets = null;
  }

  private node(node: SyntaxNode, input: Input): void {
    const { state } = this;
    const { folders } = state;
    if (node.type === 'Statement') {
      this.node(node.command, input);
      if (node.background === true)
        this.note('subset.background', 'It keeps running in the background.', node.pos, node.end);
      return;
    }
    state.cdTargets = null;
    if (node.type === 'Command') return this.command(node, input);
    if (node.type === 'Pipeline') this.pipeline(node, input);
    else if (node.type === 'AndOr') this.chain(node.commands, node.operators, input);
    else if (node.type === 'Redirected') this.redirected(node.command, node.redirects, input);
    else if (node.type === 'Function') this.functionBody(node);
    else if (node.type === 'Subshell' || node.type === 'BraceGroup') {
      for (const statement of node.body.commands) this.node(statement, input);
      if (node.type === 'Subshell') this.stay(folders);
    } else this.compound(node, input);
    this.stay();
  }

  private chain(commands: readonly SyntaxNode[], operators: readonly string[], input: Input): void {
    const { state } = this;
    let reachable = state.folders;
    commands.forEach((command, at) => {
      this.node(command, input);
      reachable = [...new Set([...reachable, ...state.folders])].slice(0, 32);
      // Behind `cd a &&` the shell is in `a`; behind `||` nobody knows.
      state.folders = operators[at] === '&&' ? (state.cdTargets ?? state.folders) : reachable;
    });
    state.folders = reachable;
  }

  /** Loops, conditions and the like. A command of a loop runs again, with other values of its variables. */
  private compound(node: SyntaxNode, input: Input): void {
    this.note(
      'subset.compound',
      'Loops, conditions and the like are not approved.',
      node.pos,
      Math.min(node.end, node.pos + 12),
    );
    if (node.type === 'For' || node.type === 'Select') assign(this.state.variables, node.name.value, null);
    this.repeated(node, input, /^(For|ArithmeticFor|Select|While)$/.test(node.type));
  }

  private repeated(node: SyntaxNode, input: Input, isLoop = true): void {
    this.state.loops += isLoop ? 1 : 0;
    this.below(node, input);
    this.state.loops -= isLoop ? 1 : 0;
  }

  /** A function could take the place of any program; one that calls itself twice takes the machine. */
  private functionBody(node: Function): void {
    this.note('subset.compound', 'A function can take the place of a program.', node.name.pos, node.name.end);
    const before = this.state.parts.length;
    this.repeated(node.body, NO_INPUT);
    const callsItself = this.state.parts.slice(before).some(({ args }) => args[0]?.value === node.name.value);
    if (callsItself && /[|&]/.test(this.source.text.slice(node.body.pos, node.body.end)))
      this.note(
        'dangerous.fork_bomb',
        'The function starts itself until the machine stops responding.',
        node.pos,
        node.end,
      );
  }

  /** Judges whatever commands are below a node, wherever they hide. */
  private below(node: SyntaxNode, input: Input): void {
    forEachChild(node, (child) => {
      if (child.type === 'Script') {
        const at = this.source.span(child.pos, child.end);
        const own = child.source === undefined ? this.source : fixedSource(child.source, at);
        new Walker(own, this.state).script(child, NO_INPUT);
      } else if (/^(Statement|Command|Pipeline)$/.test(child.type)) this.node(child, input);
      else this.below(child, input);
    });
  }

  private pipeline(node: Pipeline, input: Input): void {
    const { state } = this;
    const { folders, parts } = state;
    const start = parts.length;
    let previous = input;
    node.commands.forEach((command, at) => {
      const first = parts.length;
      this.node(command, previous);
      const text = at === 0 || previous.text === null ? outputOf(parts.slice(first)) : null;
      previous = { text, upstream: parts.slice(start) };
    });
    // Each command of a pipeline is a shell of its own; and `! cd a && …` goes on where `cd` failed.
    if (node.commands.length > 1) this.stay(folders);
  }

  private redirected(inner: SyntaxNode, redirects: readonly Redirection[], input: Input): void {
    const { state, source } = this;
    const before = state.parts.length;
    this.node(inner, { ...input, text: inputText(redirects) ?? input.text });
    const span = source.span(inner.pos, inner.end);
    const nothing: PartRecord = {
      args: [],
      program: null,
      span,
      input: null,
      findings: [],
      approvedBy: 'approve.known',
    };
    for (const redirect of redirects) {
      state.findings.push(...judgeRedirection(redirect, source, state.parts[before] ?? nothing, state));
      this.below(redirect, NO_INPUT);
    }
  }

  private command(command: Command, input: Input): void {
    const { state, source } = this;
    const { name, prefix, suffix, redirects, args } = command;
    const isAlone = name === undefined;
    const findings = prefix.flatMap((each) =>
      each.type === 'Assignment' ? this.assignment(each, isAlone) : [],
    );
    const words = [...(isAlone ? [] : [name]), ...args].map((word) =>
      word.type === 'Word'
        ? readWord(word, source.span(word.pos, word.end), state.variables)
        : this.assignedWord(word),
    );
    // Commands in substitutions run first, and what they are says what the words may become.
    const before = state.parts.length;
    for (const each of [...prefix, ...(isAlone ? [] : [name]), ...suffix]) this.below(each, NO_INPUT);
    const text = inputText(redirects);
    judgeCall(words, state, {
      ...{ source, findings, redirects },
      span: source.span(command.pos, command.end),
      input: text === null ? input : { text, upstream: [] },
      substituted: state.parts.slice(before),
      judgeText: (nested, nestedInput) => walkText(nested, state, nestedInput),
    });
  }

  /** An assignment before a command, or alone: then later commands see it. */
  private assignment(node: Assignment, isAlone: boolean): Finding[] {
    const { state, source } = this;
    const span = source.span(node.pos, node.end);
    if (isAlone) assign(state.variables, node.name, node.append === true ? null : textOf(node));
    if (node.value.type === 'Word' && COMMANDS.test(node.name))
      walkText(scriptSource(readWord(node.value, span, state.variables), source), state, NO_INPUT);
    return [finding('subset.assignment', `${node.name} may change what commands load, run or do.`, span)];
  }

  /** `export A=b` and the like. */
  private assignedWord(node: Assignment): Arg {
    const span = this.source.span(node.pos, node.end);
    const { value } = unquote(node.text);
    assign(this.state.variables, node.name, textOf(node));
    const trouble = finding('subset.assignment', 'It assigns a variable.', span);
    return { kind: 'unknown', value, span, quoted: false, trouble };
  }
}

function textOf({ value }: Assignment): string | null {
  return value.type === 'Word' ? value.text : null;
}

function inputText(redirects: readonly Redirection[]): string | null {
  for (const redirect of redirects) {
    if (redirect.type === 'HereDoc') return redirect.body.text;
    if (redirect.type === 'HereString') return redirect.target?.value ?? null;
  }
  return null;
}
