/** What a transcript shows, from top to bottom, as data: whoever shows it finds the words. Nothing in it is safe to print as it is. */
import type { InteractionKind, Json, Media, TaskEvent } from '@bullpen/contracts';

type Data<Type extends TaskEvent['type']> = Extract<TaskEvent, { type: Type }>['data'];

/** A row keeps its key for ever; rows are in the order of `seq`, the number of the first event that tells of it. */
interface Place {
  readonly key: string;
  readonly seq: number;
  readonly at: string;
}

/** Text of a model is `streams: true` until it is stored: more may come. */
export interface MessageRow extends Place {
  readonly kind: 'user' | 'agent';
  readonly text: string;
  readonly reasoning: string;
  readonly source: 'prompt' | 'steering' | 'harness' | null;
  readonly streams: boolean;
  /** It is no longer part of the conversation. */
  readonly takenBack: boolean;
}

export interface ToolRow extends Place {
  readonly kind: 'tool';
  /** Null while the model still writes the arguments. */
  readonly callId: string | null;
  readonly tool: string;
  readonly turn: number | null;
  readonly arguments: Json | null;
  /** The arguments as they come, while they come. */
  readonly draft: string;
  readonly state: 'generating' | 'running' | 'done' | 'errored' | 'canceled';
  /** What it prints, while it runs. */
  readonly output: string;
  /** The beginning of what it gave back. */
  readonly preview: string | null;
  /** Pictures and documents that it gave back. */
  readonly media: readonly Media[];
  readonly sandbox: string | null;
  readonly durationMs: number | null;
}

export interface AskRow extends Place {
  readonly kind: 'ask';
  readonly interactionId: string;
  readonly of: InteractionKind;
  readonly title: string;
  readonly callId: string | null;
  readonly closed: Pick<Data<'interaction.closed'>, 'state' | 'by' | 'answer'> | null;
}

export interface SubtaskRow extends Place {
  readonly kind: 'subtask';
  readonly taskId: string;
  readonly title: string;
  readonly agent: string;
  readonly ended: Pick<Data<'subtask.ended'>, 'state' | 'cause'> | null;
}

/** Something that happened: an attempt, a checkpoint, an error, a change of mode or state. */
export interface NoteRow extends Place {
  readonly kind: 'note';
  readonly event: TaskEvent;
}

export type Row = MessageRow | ToolRow | AskRow | SubtaskRow | NoteRow;
