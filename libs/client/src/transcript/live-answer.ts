/**
 * The answer that a model is giving: text, reasoning, and calls whose arguments still stream. Only live: the event that stores a message
 * takes its text, and the events of a call take the call.
 */
import type { LiveDelta, TaskEvent } from '@bullpen/contracts';
import { GrowingText } from './growing-text.js';
import type { MessageRow, Row, ToolRow } from './rows.js';

type AnswerDelta = Exclude<LiveDelta, { type: 'tool.output_delta' }>;

interface Draft {
  readonly toolUseId: string;
  readonly tool: string;
  readonly json: GrowingText;
}

export class LiveAnswer {
  private messageId: string | null = null;
  private text = new GrowingText();
  private reasoning = new GrowingText();
  private drafts: Draft[] = [];
  /** What was said before this event is void, however late it comes. */
  private voidBefore = 0;

  take(delta: AnswerDelta): boolean {
    if (delta.afterSeq < this.voidBefore) return false;
    // A call that is made again has another id: what was said before is void.
    if (delta.data.messageId !== this.messageId) this.begin(delta.data.messageId);
    switch (delta.type) {
      case 'message.delta':
        return this.text.take(delta.data.offset, delta.data.text);
      case 'reasoning.delta':
        return this.reasoning.take(delta.data.offset, delta.data.text);
      case 'tool.generating': {
        const { offset, json } = delta.data;
        return this.draftOf(delta.data).json.take(offset, json) || json === '';
      }
    }
  }

  /** Drops what this event stores or ends. */
  settle(event: TaskEvent): void {
    switch (event.type) {
      case 'message.agent':
        // Its calls have no events of their own yet.
        if (event.data.messageId === this.messageId) this.begin(this.messageId, this.drafts);
        return;
      case 'tool.started':
      case 'tool.finished':
        this.drafts = withoutFirst(this.drafts, event.data.tool);
        return;
      case 'task.status_changed':
      case 'worker.lost':
      case 'task.taken_over':
      case 'task.interrupted':
      case 'retry.scheduled':
        this.voidBefore = event.seq;
        return this.begin(null);
      default:
        return;
    }
  }

  /** The rows of what is only live; `afterSeq` is the newest stored event. */
  rows(afterSeq: number): Row[] {
    const place = { seq: afterSeq + 1, at: '' };
    const [text, reasoning] = [this.text.text, this.reasoning.text];
    const rows: Row[] = this.drafts.map((draft) => draftRow(draft, place));
    if (this.messageId === null || (text === '' && reasoning === '')) return rows;
    const said: MessageRow = {
      ...place,
      key: this.messageId,
      kind: 'agent',
      text,
      reasoning,
      source: null,
      streams: true,
      takenBack: false,
    };
    return [said, ...rows];
  }

  private begin(messageId: string | null, drafts: Draft[] = []): void {
    this.messageId = messageId;
    this.text = new GrowingText();
    this.reasoning = new GrowingText();
    this.drafts = drafts;
  }

  private draftOf({ toolUseId, tool }: Omit<Draft, 'json'>): Draft {
    const known = this.drafts.find((draft) => draft.toolUseId === toolUseId);
    if (known !== undefined) return known;
    const draft = { toolUseId, tool, json: new GrowingText() };
    this.drafts.push(draft);
    return draft;
  }
}

function withoutFirst(drafts: Draft[], tool: string): Draft[] {
  const index = drafts.findIndex((draft) => draft.tool === tool);
  return index < 0 ? drafts : drafts.toSpliced(index, 1);
}

function draftRow({ toolUseId, tool, json }: Draft, place: { seq: number; at: string }): ToolRow {
  return {
    ...place,
    key: toolUseId,
    kind: 'tool',
    callId: null,
    tool,
    turn: null,
    arguments: null,
    draft: json.text,
    state: 'generating',
    output: '',
    preview: null,
    media: [],
    sandbox: null,
    durationMs: null,
  };
}
