/** One thing that waits for a person, in full: what exactly is asked, and why. Pure. */
import {
  ApprovalPayload,
  assertNever,
  BudgetPayload,
  leastLimit,
  MistakesPayload,
  PlanPayload,
  QuestionPayload,
  type CommandPartView,
  type InteractionAnswer,
  type InteractionView,
  type Json,
} from '@bullpen/contracts';
import type { Colors } from '../io.js';
import { diffLines } from './diff-lines.js';
import { ago, plural, usd } from './format.js';
import { oneLine, plainText } from './plain-text.js';
import { widthOf, wrap } from './width.js';

interface Look {
  readonly colors: Colors;
  readonly width: number;
  readonly now: number;
}

const KIND_WORDS: Record<InteractionView['kind'], string> = {
  approval: 'Approval',
  question: 'Question',
  plan: 'Plan',
  budget: 'Budget',
  mistakes: 'Stuck',
};

/** All of it: the heading, the request and, once closed, the answer that counts. */
export function interactionLines(view: InteractionView, look: Look): string[] {
  return [...headingLines(view, look), '', ...askedLines(view, look), ...closingLines(view, look.colors)];
}

/** What is asked, without the heading. A payload that this version does not know is shown as data. */
function askedLines({ kind, payload }: InteractionView, look: Look): string[] {
  switch (kind) {
    case 'approval':
      return shown(ApprovalPayload, payload, look, approvalLines);
    case 'question':
      return shown(QuestionPayload, payload, look, questionLines);
    case 'plan':
      return shown(PlanPayload, payload, look, planLines);
    case 'budget':
      return shown(BudgetPayload, payload, look, budgetLines);
    case 'mistakes':
      return shown(MistakesPayload, payload, look, (asked) => wrap(plainText(asked.message), look.width));
    default:
      return assertNever(kind);
  }
}

function headingLines(view: InteractionView, { colors, now }: Look): string[] {
  const due = view.expiresAt === null ? [] : [`open until ${view.expiresAt}`];
  const about = [`asked ${ago(view.createdAt, now)}`, ...due].join(' · ');
  return [
    `${colors.yellow(KIND_WORDS[view.kind])} ${colors.bold(view.id)}  ${colors.dim(about)}`,
    `${oneLine(view.taskTitle)} ${colors.dim(`(${view.taskId}, ${oneLine(view.agent)})`)}`,
  ];
}

function shown<T>(
  schema: { safeParse(value: unknown): { success: true; data: T } | { success: false } },
  payload: Readonly<Record<string, Json>>,
  look: Look,
  lines: (asked: T, look: Look) => string[],
): string[] {
  const parsed = schema.safeParse(payload);
  return parsed.success ? lines(parsed.data, look) : jsonLines(payload);
}

function approvalLines(asked: ApprovalPayload, look: Look): string[] {
  const { colors, width } = look;
  const why = wrap(plainText(asked.reason), width - 2).map((line) => `  ${colors.yellow(line)}`);
  const part = asked.part === undefined ? [] : [`  because of: ${colors.red(oneLine(asked.part))}`];
  return [`Run ${colors.bold(oneLine(asked.tool))}?`, ...whatLines(asked, look), '', ...why, ...part];
}

/** The command with its parts, the change as a diff, or else the arguments. */
function whatLines(asked: ApprovalPayload, { colors, width }: Look): string[] {
  const command = asked.command ?? commandIn(asked.arguments);
  const paths = (asked.paths ?? []).map(
    ({ path, access, place }) => `  ${access} ${oneLine(path)}${place === 'inside' ? '' : ` (${place})`}`,
  );
  if (command !== null)
    return [
      ...indent(plainText(command).split('\n')).map((line) => colors.bold(line)),
      ...(asked.parts ?? []).flatMap((part) => partLines(part, colors, width)),
      ...otherArguments(asked.arguments),
      ...paths,
    ];
  if (asked.diff !== undefined) return [...paths, ...diffLines(asked.diff, colors)];
  return [...paths, ...indent(argumentLines(asked.arguments))];
}

function partLines({ text, decision, message }: CommandPartView, colors: Colors, width: number): string[] {
  const marks = {
    approve: colors.green('✓ fine '),
    ask: colors.yellow('? asks '),
    deny: colors.red('✗ never'),
  };
  const [part, why] = [oneLine(text), oneLine(message)];
  if (PART_INDENT + widthOf(`${part}  ${why}`) <= width)
    return [`    ${marks[decision]} ${part}  ${colors.dim(why)}`];
  // Where the terminal is narrow, each on lines of its own.
  const room = width - PART_INDENT;
  const [first = '', ...rest] = [...wrap(part, room), ...wrap(why, room).map((line) => colors.dim(line))];
  return [`    ${marks[decision]} ${first}`, ...rest.map((line) => ' '.repeat(PART_INDENT) + line)];
}

/** The columns in front of the part itself. */
const PART_INDENT = 12;

function commandIn(args: Json): string | null {
  const command = typeof args === 'object' && args !== null && !Array.isArray(args) ? args['command'] : null;
  return typeof command === 'string' ? command : null;
}

const MOST_LINES = 60;

/** Texts of several lines as they are, so that they can be read; all else as JSON. */
function argumentLines(args: Json): string[] {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return jsonLines(args);
  return Object.entries(args).flatMap(([name, value]) => {
    if (typeof value !== 'string') return [`${oneLine(name)}: ${oneLine(JSON.stringify(value))}`];
    const [first = '', ...more] = textLines(value);
    return more.length === 0
      ? [`${oneLine(name)}: ${first}`]
      : [`${oneLine(name)}:`, ...indent([first, ...more])];
  });
}

/** The lines of a text, cut where it gets long. */
export function textLines(text: string): string[] {
  const lines = plainText(text).trimEnd().split('\n');
  const rest = lines.length - MOST_LINES;
  return [...lines.slice(0, MOST_LINES), ...(rest > 0 ? [`… ${plural(rest, 'more line')}`] : [])];
}

function otherArguments(args: Json): string[] {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return [];
  return Object.entries(args)
    .filter(([name]) => name !== 'command')
    .map(([name, value]) => `    ${oneLine(name)}: ${oneLine(JSON.stringify(value))}`);
}

function questionLines(asked: QuestionPayload, { colors, width }: Look): string[] {
  const header = asked.header === undefined ? [] : [colors.bold(oneLine(asked.header))];
  const options = asked.options.map(({ label, description }) => {
    const more = description === undefined ? '' : `  ${colors.dim(oneLine(description))}`;
    return `  ${asked.multiple ? '☐' : '○'} ${oneLine(label)}${more}`;
  });
  const how = [
    ...(asked.options.length > 0 ? [asked.multiple ? 'choose one or more' : 'choose one'] : []),
    ...(asked.freeText ? ['answer in your own words'] : []),
  ].join(', or ');
  return [...header, ...wrap(plainText(asked.question), width), ...options, colors.dim(`  (${how})`)];
}

function planLines({ version, plan, steps }: PlanPayload, { colors, width }: Look): string[] {
  return [
    colors.bold(`Version ${version}`),
    ...plainText(plan)
      .split('\n')
      .flatMap((line) => markdownLines(line, width, colors)),
    '',
    colors.bold('Steps'),
    ...steps.map((step, index) => `  ${index + 1}. ${oneLine(step)}`),
  ];
}

/** Headings stand out; everything else of Markdown is made to be read as it is. */
function markdownLines(line: string, width: number, colors: Colors): string[] {
  const lines = wrap(line, width);
  return /^#{1,6} /.test(line) ? lines.map((each) => colors.bold(each)) : lines;
}

function budgetLines(asked: BudgetPayload, { width }: Look): string[] {
  const { limitUsd, spentUsd, neededUsd } = asked;
  const spent = `${usd(spentUsd)} of ${usd(limitUsd)} are spent; the next model call may cost up to ${usd(neededUsd)}.`;
  return wrap(`${spent} The tree goes on with a limit of $${leastLimit(asked)} or more.`, width);
}

function closingLines({ state, answer, answeredBy, answeredAt }: InteractionView, colors: Colors): string[] {
  if (state === 'pending') return [];
  if (answer === null) return ['', colors.dim(`${state}: no longer needed`)];
  return [
    '',
    `${colors.green(state)} by ${oneLine(answeredBy ?? 'somebody')} at ${answeredAt ?? ''}: ${answerWords(answer)}`,
  ];
}

/** What became of it by this answer, as in "ask_… denied". */
export function doneWords(answer: InteractionAnswer): string {
  if ('cancel' in answer && answer.cancel) return 'left without an answer';
  if (!('decision' in answer)) return `answered (${answerWords({ ...answer })})`;
  if ('limitUsd' in answer) return `raised to $${answer.limitUsd}`;
  const { decision, ...rest } = answer;
  const more = answerWords(rest);
  return `${DONE[decision]}${more === '' ? '' : ` (${more})`}`;
}

const DONE = {
  approve: 'approved',
  deny: 'denied',
  accept: 'accepted',
  revise: 'sent back',
  continue: 'goes on',
  stop: 'stopped',
} as const;

/** An answer in words, on one line. */
export function answerWords(answer: Readonly<Record<string, Json>>): string {
  if (answer['cancel'] === true) return 'no answer';
  const { decision, choices, ...rest } = answer;
  const words = [
    ...(typeof decision === 'string' ? [decision] : []),
    ...(Array.isArray(choices) && choices.length > 0 ? [choices.map(String).join('; ')] : []),
    ...Object.entries(rest).map(([name, value]) =>
      name === 'text'
        ? String(value)
        : `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
    ),
  ];
  return oneLine(words.join(', '));
}

function jsonLines(value: unknown): string[] {
  return plainText(JSON.stringify(value, null, 2)).split('\n');
}

function indent(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}
