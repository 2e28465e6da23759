/**
 * A stream of one task and its subtasks as lines of text. Text that arrives in pieces is given out line by line, so that
 * tasks that speak at the same time never mix within a line.
 */
import { isStored, type StreamItem } from '@bullpen/client';
import { isTerminal, type LiveDelta, sandboxText, type TaskEvent } from '@bullpen/contracts';
import type { Colors } from '../io.js';
import { warningText } from './context-gauge.js';
import { duration, plural, soon, usd } from './format.js';
import { workspaceText } from './workspace-text.js';
import { wholeWords } from './flowing-text.js';
import { oneLine, plainText } from './plain-text.js';
import { refusalLines } from './provider-wait.js';
import { stateGlyph, stateWords } from './state.js';
import { isAboutReduction, reductionText, type ReductionEvent } from './reduction-text.js';
import { takenOverText, WORKER_LOST } from './takeover.js';
import { toolLine } from './tool-line.js';
import { isAboutMode, modeText } from './transition-views.js';
import { truncate, wrap } from './width.js';

export interface TranscriptOptions {
  readonly rootId: string;
  readonly width: number;
  readonly colors: Colors;
  /** Also what the user said, what the model thought and what tools gave back. */
  readonly everything: boolean;
}

interface Message {
  readonly id: string;
  /** Characters of the message that were taken in. */
  taken: number;
  /** Taken in, but not yet a whole line. */
  pending: string;
}

interface Speaker {
  title: string;
  depth: number;
  message: Message | null;
}

const INDENT = 2;
const SLOW_TOOL_MS = 2_000;
const PREVIEW_LINES = 6;
/** What these tools do is told by events of their own. */
const TOLD_BY_EVENTS = ['spawn_subtask', 'update_todos', 'signal'];

export class Transcript {
  private readonly speakers = new Map<string, Speaker>();
  private lastSpeaker: string;
  /** What the provider said when it refused the key last. */
  private refusal: string | null = null;
  /** It was said that nothing holds the commands. */
  private warned = false;
  /** What the root said last, as a whole. */
  lastWords = '';

  constructor(private readonly options: TranscriptOptions) {
    this.lastSpeaker = options.rootId;
  }

  /** The lines that this item completes; often none. */
  push(item: StreamItem): string[] {
    const lines = isStored(item) ? this.ofEvent(item) : this.ofDelta(item);
    if (lines.length === 0) return [];
    const speaker = this.speaker(item.taskId);
    const heading = item.taskId === this.lastSpeaker ? [] : [this.options.colors.dim(`── ${speaker.title}`)];
    this.lastSpeaker = item.taskId;
    const margin = ' '.repeat(speaker.depth * INDENT);
    return [...heading, ...lines].map((line) => margin + line);
  }

  /** What was taken in and not yet given out, for the end of a stream that broke off. */
  rest(): string[] {
    return [...this.speakers.values()].flatMap((speaker) => {
      const { message } = speaker;
      if (message === null || message.pending.trim() === '') return [];
      const margin = ' '.repeat(speaker.depth * INDENT);
      return this.wrapped(takePending(message), speaker).map((line) => margin + line);
    });
  }

  private ofDelta(delta: LiveDelta): string[] {
    if (delta.type !== 'message.delta') return [];
    const speaker = this.speaker(delta.taskId);
    const { messageId, offset, text } = delta.data;
    if (speaker.message?.id !== messageId) speaker.message = { id: messageId, taken: 0, pending: '' };
    const { message } = speaker;
    // After a gap the rest of the message comes with its stored event.
    if (offset > message.taken) return [];
    const fresh = text.slice(message.taken - offset);
    message.taken += fresh.length;
    message.pending += fresh;
    return this.wholeLines(speaker, message);
  }

  /** Said before the first command that nothing holds. */
  private warnedOf(sandbox: string | undefined): string[] {
    if (sandbox !== 'none' || this.warned) return [];
    this.warned = true;
    return [this.options.colors.yellow(`! sandbox: ${sandboxText(sandbox)}`)];
  }

  private ofEvent(event: TaskEvent): string[] {
    const { colors, everything } = this.options;
    const speaker = this.speaker(event.taskId);
    if (isAboutReduction(event)) return [this.reductionLine(event, speaker)];
    if (isAboutMode(event)) return [this.short(colors.cyan('◆ '), modeText(event), speaker)];
    switch (event.type) {
      case 'task.created':
        Object.assign(speaker, { title: oneLine(event.data.title), depth: this.relativeDepth(event) });
        return everything
          ? [colors.bold(speaker.title), colors.dim(oneLine(`${event.data.agent} · ${event.data.model}`))]
          : [];
      case 'message.user':
        return everything ? this.quoted(event.data.text, speaker) : [];
      case 'message.queued':
      case 'message.edited':
        return everything
          ? [this.short(colors.dim('… '), oneLine(`waits: ${event.data.text}`), speaker)]
          : [];
      case 'history.rewound':
        return [colors.yellow(`↶ ${plural(event.data.messageIds.length, 'message')} taken back`)];
      case 'message.agent':
        return [...this.thought(event.data.reasoning, speaker), ...this.endOfMessage(event, speaker)];
      case 'tool.started':
        if (TOLD_BY_EVENTS.includes(event.data.tool)) return [];
        return [
          ...this.warnedOf(event.data.sandbox),
          this.short(`${colors.cyan('→')} `, toolLine(event.data.tool, event.data.arguments), speaker),
        ];
      case 'tool.finished':
        return this.toolEnd(event, speaker);
      case 'task.status_changed':
        return this.stateChange(event);
      case 'worker.lost':
        // What it was saying will be said again.
        speaker.message = null;
        return [colors.yellow(`! ${WORKER_LOST}`)];
      case 'task.taken_over':
        return [this.short(`${colors.yellow('↻')} `, takenOverText(event.data), speaker)];
      case 'todo.updated':
        return [colors.dim(todoLine(event))];
      case 'subtask.spawned':
        return [
          this.short(`${colors.cyan('+')} `, oneLine(`${event.data.title} (${event.data.agent})`), speaker),
        ];
      case 'retry.scheduled':
        return [colors.yellow(`! ${oneLine(event.data.message)}; trying again ${soon(event.data.delayMs)}`)];
      case 'provider.waiting':
        return this.providerWait(event.data);
      case 'budget.warning':
        return [colors.yellow(`! ${usd(event.data.spentUsd)} of ${usd(event.data.limitUsd)} spent`)];
      case 'context.warning':
        return [colors.yellow(`! ${warningText(event.data)}`)];
      case 'workspace.cloned':
      case 'task.forked':
      case 'task.forked_from':
        return [colors.dim(workspaceText(event))];
      case 'checkpoint.taken':
      case 'workspace.restore_requested':
        return everything ? [colors.dim(workspaceText(event))] : [];
      case 'workspace.rebuilt':
      case 'workspace.restored':
        return [this.short(`${colors.yellow('↻')} `, workspaceText(event), speaker)];
      case 'workspace.setup_started':
        return [
          ...this.warnedOf(event.data.sandbox),
          this.short(`${colors.cyan('→')} `, toolLine('setup', event.data), speaker),
        ];
      case 'workspace.setup_finished':
        return this.setupEnd(event, speaker);
      case 'checkpoint.failed':
      case 'workspace.restore_failed':
      case 'workspace.in_place':
      case 'workspace.incomplete':
        return [colors.yellow(`! ${workspaceText(event)}`)];
      case 'limit.reached':
      case 'error':
        return [colors.red(`! ${oneLine(event.data.message)}`)];
      default:
        return [];
    }
  }

  private reductionLine(event: ReductionEvent, speaker: Speaker): string {
    const { colors } = this.options;
    const mark = event.type === 'context.summary_refused' ? colors.yellow('! ') : colors.dim('≡ ');
    return this.short(mark, reductionText(event), speaker);
  }

  private relativeDepth(event: Extract<TaskEvent, { type: 'task.created' }>): number {
    return event.taskId === this.options.rootId ? 0 : Math.max(1, event.data.depth);
  }

  private wholeLines(speaker: Speaker, message: Message): string[] {
    const columns = this.room(speaker);
    const end = message.pending.lastIndexOf('\n');
    if (end >= 0) {
      const whole = message.pending.slice(0, end);
      message.pending = message.pending.slice(end + 1);
      return this.wrapped(whole, speaker);
    }
    if (message.pending.length < columns * 2) return [];
    // A paragraph without line breaks: give out what fills lines, keep the last one.
    const whole = wholeWords(message.pending, columns);
    const lines = wrap(plainText(whole), columns);
    // Wrapping drops the space at the end, which parts this word from the next.
    message.pending =
      (lines.pop() ?? '') + (whole.endsWith(' ') ? ' ' : '') + message.pending.slice(whole.length);
    return lines;
  }

  private endOfMessage(event: Extract<TaskEvent, { type: 'message.agent' }>, speaker: Speaker): string[] {
    const { messageId, text } = event.data;
    if (event.taskId === this.options.rootId) this.lastWords = text;
    const message =
      speaker.message?.id === messageId ? speaker.message : { id: messageId, taken: 0, pending: '' };
    message.pending += text.slice(message.taken);
    speaker.message = null;
    return message.pending.trim() === '' ? [] : this.wrapped(message.pending.trimEnd(), speaker);
  }

  private thought(text: string | undefined, speaker: Speaker): string[] {
    if (!this.options.everything || !text?.trim()) return [];
    return this.wrapped(text.trim(), speaker).map((line) => this.options.colors.dim(line));
  }

  private toolEnd(event: Extract<TaskEvent, { type: 'tool.finished' }>, speaker: Speaker): string[] {
    const { colors, everything } = this.options;
    const { state, tool, durationMs, preview } = event.data;
    const name = oneLine(tool);
    if (state === 'canceled') return [this.short(`${colors.red('✗')} `, `${name} cancelled`, speaker)];
    if (state !== 'done') return [this.short(`${colors.red('✗')} `, `${name}: ${oneLine(preview)}`, speaker)];
    if (TOLD_BY_EVENTS.includes(tool)) return [];
    if (everything) return this.preview(preview, speaker);
    return this.slowEnd(name, durationMs);
  }

  private setupEnd(
    event: Extract<TaskEvent, { type: 'workspace.setup_finished' }>,
    speaker: Speaker,
  ): string[] {
    const { colors, everything } = this.options;
    const { state, durationMs, output } = event.data;
    if (everything && state !== 'refused') return this.preview(output, speaker);
    if (state === 'done') return this.slowEnd('setup', durationMs);
    return [this.short(`${colors.red('✗')} `, workspaceText(event), speaker)];
  }

  private slowEnd(name: string, durationMs: number): string[] {
    return durationMs < SLOW_TOOL_MS ? [] : [this.options.colors.dim(`✓ ${name} ${duration(durationMs)}`)];
  }

  private stateChange(event: Extract<TaskEvent, { type: 'task.status_changed' }>): string[] {
    const { colors, everything, rootId } = this.options;
    const { to, reason, cause, failure } = event.data;
    if (to === 'queued' || to === 'running') return [];
    // Whoever watches tells the end of the root itself, with what it cost.
    if (!everything && event.taskId === rootId && isTerminal(to)) return [];
    const why = failure ? `: ${oneLine(failure.message)}` : '';
    return [`${stateGlyph(to, colors)} ${stateWords(to, reason ?? null, cause ?? null)}${why}`];
  }

  /** What to do is said once, however many tasks of the tree wait for the same. */
  private providerWait({
    delayMs,
    ...says
  }: Extract<TaskEvent, { type: 'provider.waiting' }>['data']): string[] {
    const { colors } = this.options;
    if (delayMs !== null) return [colors.yellow(`! ${oneLine(says.message)} It goes on ${soon(delayMs)}.`)];
    const lines = refusalLines(says, colors);
    const shown = this.refusal === says.message ? lines.slice(0, 1) : lines;
    this.refusal = says.message;
    return shown;
  }

  private preview(text: string, speaker: Speaker): string[] {
    const lines = plainText(text).trimEnd().split('\n');
    const shown = lines.slice(0, PREVIEW_LINES).map((line) => this.short('  ', line, speaker));
    const more =
      lines.length > PREVIEW_LINES ? [`  … ${plural(lines.length - PREVIEW_LINES, 'more line')}`] : [];
    return [...shown, ...more].map((line) => this.options.colors.dim(line));
  }

  private quoted(text: string, speaker: Speaker): string[] {
    return wrap(plainText(text).trimEnd(), this.room(speaker) - 2).map((line) =>
      this.options.colors.dim(`> ${line}`),
    );
  }

  private wrapped(text: string, speaker: Speaker): string[] {
    return wrap(plainText(text), this.room(speaker));
  }

  private short(mark: string, text: string, speaker: Speaker): string {
    return mark + truncate(text, this.room(speaker) - INDENT);
  }

  private room(speaker: Speaker): number {
    return Math.max(20, this.options.width - speaker.depth * INDENT);
  }

  private speaker(taskId: string): Speaker {
    const known = this.speakers.get(taskId);
    if (known !== undefined) return known;
    const speaker: Speaker = { title: taskId, depth: taskId === this.options.rootId ? 0 : 1, message: null };
    this.speakers.set(taskId, speaker);
    return speaker;
  }
}

function takePending(message: Message): string {
  const { pending } = message;
  message.pending = '';
  return pending;
}

function todoLine(event: Extract<TaskEvent, { type: 'todo.updated' }>): string {
  const { todos } = event.data;
  const done = todos.filter((todo) => todo.status === 'completed').length;
  const current = todos.find((todo) => todo.status === 'in_progress');
  return `☐ ${done} of ${todos.length} done${current ? `, now: ${oneLine(current.text)}` : ''}`;
}
