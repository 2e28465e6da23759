/**
 * The transcript of one task, folded from its events. Each event adds its own part to a row, so that events may come in any order, page
 * after page from the newest back, and twice: the rows are the same. What is only live stands after the stored rows, until the
 * event comes that stores it.
 */
import type { ContextSize, LiveDelta, TaskEvent, TodoItem } from '@bullpen/contracts';
import { isStored, type StreamItem } from '../tree/tree-model.js';
import { GrowingText } from './growing-text.js';
import { LiveAnswer } from './live-answer.js';
import { partOf, rowOf, type Parts } from './parts.js';
import type { Row } from './rows.js';

/** So much of what a running tool prints is held, in characters; all of it is stored when the tool ends. */
const OUTPUT_KEPT = 256 * 1024;

export class TranscriptModel {
  private readonly seen = new Set<number>();
  private readonly parts = new Map<string, Parts>();
  private readonly rows = new Map<string, Row>();
  private readonly outputs = new Map<string, GrowingText>();
  private readonly answer = new LiveAnswer();
  private readonly latest = new Map<TaskEvent['type'], TaskEvent>();
  private inOrder: readonly Row[] | null = [];

  /** The oldest event that is known; 1 when there are no older ones. */
  firstSeq = Infinity;
  lastSeq = 0;

  constructor(readonly taskId: string) {}

  /** Takes an event of whatever age or a live piece in, and says whether that changed anything. */
  apply(item: StreamItem): boolean {
    if (item.taskId !== this.taskId) return false;
    return isStored(item) ? this.applyEvent(item) : this.applyDelta(item);
  }

  /** Events that are missing between those that are known: after this one and before that one; null when there are none. */
  get hole(): { readonly after: number; readonly before: number } | null {
    if (this.seen.size === 0 || this.seen.size === this.lastSeq - this.firstSeq + 1) return null;
    let after = this.firstSeq;
    while (this.seen.has(after + 1)) after += 1;
    let before = after + 1;
    while (!this.seen.has(before)) before += 1;
    return { after, before };
  }

  /** The rows that are stored, in order; the same array until they change. */
  get stored(): readonly Row[] {
    this.inOrder ??= [...this.rows.values()].sort((a, b) => a.seq - b.seq);
    return this.inOrder;
  }

  /** What the model says right now, after all stored rows. */
  get live(): readonly Row[] {
    return this.answer.rows(this.lastSeq);
  }

  get todos(): readonly TodoItem[] | null {
    const event = this.latest.get('todo.updated');
    return event?.type === 'todo.updated' ? event.data.todos : null;
  }

  /** How full the window was with the newest model call; null when no call that is known here says it. */
  get newestContext(): ContextSize | null {
    const event = this.latest.get('usage.recorded');
    return event?.type === 'usage.recorded' ? (event.data.context ?? null) : null;
  }

  private applyEvent(event: TaskEvent): boolean {
    if (this.seen.has(event.seq)) return false;
    this.seen.add(event.seq);
    this.firstSeq = Math.min(this.firstSeq, event.seq);
    if (event.seq > this.lastSeq) this.answer.settle(event);
    this.lastSeq = Math.max(this.lastSeq, event.seq);
    if ((this.latest.get(event.type)?.seq ?? 0) < event.seq) this.latest.set(event.type, event);
    for (const [key, part] of partOf(event)) {
      this.parts.set(key, { ...this.parts.get(key), ...part });
      if (part.finished !== undefined) this.outputs.delete(key);
      this.draw(key);
    }
    return true;
  }

  private applyDelta(delta: LiveDelta): boolean {
    if (delta.type === 'tool.output_delta') {
      const { callId, offset, text } = delta.data;
      if (this.parts.get(callId)?.finished !== undefined) return false;
      const output = this.outputs.get(callId) ?? new GrowingText(OUTPUT_KEPT);
      this.outputs.set(callId, output);
      if (!output.take(offset, text)) return false;
      this.draw(callId);
      return true;
    }
    if (this.parts.has(delta.data.messageId)) return false;
    return this.answer.take(delta);
  }

  private draw(key: string): void {
    const row = rowOf(key, this.parts.get(key) ?? {}, this.outputs.get(key)?.text ?? '');
    if (row === null) return;
    this.rows.set(key, row);
    this.inOrder = null;
  }
}
