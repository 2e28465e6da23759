/** What a task did last, as data: whoever shows it finds the words. Nothing in it is safe to print as it is. */
import type { Json, LiveDelta, TaskEvent } from '@bullpen/contracts';

type Of<Type extends TaskEvent['type']> = Extract<TaskEvent, { type: Type }>;

/** What the provider said when it refused the key, or a pause that it asked for. */
export interface ProviderSays {
  readonly errorClass: string;
  readonly message: string;
}

export type Activity =
  | { readonly kind: 'nothing' }
  /** The end of what it said; `whole` false: more may come, also of the last word. */
  | { readonly kind: 'said'; readonly text: string; readonly whole: boolean }
  | { readonly kind: 'calling'; readonly tool: string }
  | { readonly kind: 'runs'; readonly tool: string; readonly arguments: Json | null }
  | { readonly kind: 'taken_over'; readonly found: Of<'task.taken_over'>['data'] }
  | { readonly kind: 'retrying'; readonly errorClass: string }
  | { readonly kind: 'provider'; readonly errorClass: string }
  | { readonly kind: 'pausing' }
  | { readonly kind: 'interrupted' }
  | { readonly kind: 'failing'; readonly message: string };

export const NOTHING: Activity = { kind: 'nothing' };

/** So much of a message is kept to show its end. */
const TAIL_LENGTH = 300;

/** What an event says that its task does; null: nothing about that. */
export function activityOf(event: TaskEvent): Activity | null {
  switch (event.type) {
    case 'message.agent':
      return event.data.text.trim() === '' ? null : { kind: 'said', text: event.data.text, whole: true };
    case 'tool.started':
      return { kind: 'runs', tool: event.data.tool, arguments: event.data.arguments };
    case 'workspace.setup_started':
      return { kind: 'runs', tool: 'setup', arguments: { command: event.data.command } };
    case 'task.taken_over':
      return { kind: 'taken_over', found: event.data };
    case 'retry.scheduled':
      return { kind: 'retrying', errorClass: event.data.errorClass };
    case 'provider.waiting':
      return { kind: 'provider', errorClass: event.data.errorClass };
    case 'task.pause_requested':
      return { kind: 'pausing' };
    case 'task.interrupted':
      return { kind: 'interrupted' };
    case 'error':
      return { kind: 'failing', message: event.data.message };
    default:
      return null;
  }
}

/** Puts the pieces of one task's answer together, as far as its end is concerned. */
export class Speech {
  private messageId: string | null = null;
  private tail = '';

  take({ messageId, offset, text }: Extract<LiveDelta, { type: 'message.delta' }>['data']): Activity {
    const before = this.messageId === messageId && offset > 0 ? this.tail : '';
    this.messageId = messageId;
    this.tail = tailOf(before + text);
    return { kind: 'said', text: this.tail, whole: false };
  }
}

/** The end of a text, from the beginning of a word on. */
function tailOf(text: string): string {
  return text.length <= TAIL_LENGTH ? text : text.slice(-TAIL_LENGTH).replace(/^\S*\s/, '');
}
