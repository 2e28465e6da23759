/**
 * The mode context as a fold: what really happened goes in, one thing after the other. Calls go in as they end, in the step that stores
 * their results; transitions as their rows say, so that nobody who writes one has to write the context, too.
 */
import type { Json, ToolGroup } from '@bullpen/contracts';
import type { CallFacts } from '../../ports/tool.js';
import type { ModeContext, TestRun, Transition } from '../../task/mode-context.js';
import { preview } from '../../task/text.js';
import { chainOf, isCommit, isTestRun } from './command-line.js';
import { handled } from './handlers.js';
import { countsOf, coverageOf } from './test-output.js';

/** So many names of a kind are kept, the newest. */
const MOST_NAMES = 200;

/** A call that has ended. */
export interface CallEffect {
  readonly tool: string;
  readonly group: ToolGroup;
  readonly args: Json;
  readonly facts: CallFacts;
  readonly isError: boolean;
  /** Of what it ran; undefined: it ran nothing. */
  readonly exitCode: number | null | undefined;
  readonly output: string;
  readonly turn: number;
}

/** With a call that has ended. */
export function foldCall(context: ModeContext, effect: CallEffect): ModeContext {
  const looked = withLooks(context, effect);
  return effect.exitCode === undefined ? looked : withCommand(looked, effect);
}

function withLooks(context: ModeContext, { args, facts, isError, tool }: CallEffect): ModeContext {
  if (isError) return context;
  const inside = (facts.paths ?? []).filter(({ place }) => place === 'inside' || place === 'protected');
  const paths = (access: 'read' | 'write') =>
    inside.filter((path) => path.access === access).map(({ path }) => path);
  const name = tool === 'find_symbols' && isObject(args) ? args['name'] : undefined;
  const looked = {
    ...context,
    files: added(context.files, paths('read')),
    symbols: added(context.symbols, typeof name === 'string' ? [name] : []),
  };
  return foldChanges(looked, paths('write'), Infinity);
}

/** With files that have been changed. A run of the tests in the turn of a change that nobody announced may have come after it. */
export function foldChanges(context: ModeContext, paths: readonly string[], turn: number): ModeContext {
  const isNews = turn === Infinity ? paths.length > 0 : paths.some((path) => !context.changed.includes(path));
  const { lastTest } = context;
  return {
    ...context,
    changed: added(context.changed, paths),
    lastTest: isNews && lastTest !== null && lastTest.turn < turn ? null : lastTest,
  };
}

function withCommand(context: ModeContext, effect: CallEffect): ModeContext {
  const { exitCode, tool, output, facts } = effect;
  const chain = chainOf(facts.command ?? '');
  const tests = chain.filter(isTestRun).length > 0 ? testRun(effect) : null;
  const failed = exitCode !== 0 || tests?.passed === false;
  return {
    ...context,
    lastTest: tests ?? context.lastTest,
    lastError: failed ? { tool, text: preview(output, 1_000) } : null,
    changed: !failed && chain.some(isCommit) ? [] : context.changed,
  };
}

/** Passed: it ended with 0, and nothing in its output says that something failed, or that nothing ran. */
function testRun({ facts, exitCode, output, turn }: CallEffect): TestRun {
  const counts = countsOf(output);
  const passed = exitCode === 0 && (counts === null || (counts.failed === 0 && counts.passed > 0));
  return {
    command: preview(facts.command ?? '', 500),
    passed,
    count: counts === null ? null : counts.passed + counts.failed,
    coverage: coverageOf(output),
    turn,
  };
}

/** With the transitions that it does not know yet: each leaves one mode and enters another. */
export function caughtUp(context: ModeContext, rows: readonly Transition[]): ModeContext {
  return rows
    .filter(({ seq }) => seq > context.seq)
    .reduce((before, row) => {
      const { context: after } = row.to === null ? { context: before } : handled(before, row.from, row.to);
      return { ...after, seq: row.seq };
    }, context);
}

function added(names: readonly string[], more: readonly string[]): string[] {
  if (more.length === 0) return [...names];
  return [...names.filter((name) => !more.includes(name)), ...new Set(more)].slice(-MOST_NAMES);
}

function isObject(value: Json): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
