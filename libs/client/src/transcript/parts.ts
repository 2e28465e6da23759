/** What single events add to rows, and the row that such parts make, whatever order they came in. */
import type { TaskEvent } from '@bullpen/contracts';
import type { AskRow, MessageRow, NoteRow, Row, SubtaskRow, ToolRow } from './rows.js';

type Of<Type extends TaskEvent['type']> = Extract<TaskEvent, { type: Type }>;

export interface Parts {
  readonly said?: Of<'message.user' | 'message.agent'>;
  readonly takenBack?: true;
  readonly started?: Of<'tool.started'>;
  readonly finished?: Of<'tool.finished'>;
  readonly opened?: Of<'interaction.opened'>;
  readonly closed?: Of<'interaction.closed'>;
  readonly spawned?: Of<'subtask.spawned'>;
  readonly ended?: Of<'subtask.ended'>;
  readonly note?: TaskEvent;
}

/** Their own events tell what these do. */
const TOLD_BY_EVENTS: readonly string[] = ['spawn_subtask', 'update_todos', 'signal'];

/** The parts that an event adds, each with the key of its row. */
export function partOf(event: TaskEvent): readonly (readonly [string, Parts])[] {
  switch (event.type) {
    case 'message.user':
    case 'message.agent':
      return [[event.data.messageId, { said: event }]];
    case 'history.rewound':
      return [
        ...event.data.messageIds.map((id) => [id, { takenBack: true }] as const),
        [`event ${event.seq}`, { note: event }],
      ];
    case 'tool.started':
      return [[event.data.callId, { started: event }]];
    case 'tool.finished':
      return [[event.data.callId, { finished: event }]];
    case 'interaction.opened':
      return [[event.data.interactionId, { opened: event }]];
    case 'interaction.closed':
      return [[event.data.interactionId, { closed: event }]];
    case 'subtask.spawned':
      return [[event.data.taskId, { spawned: event }]];
    case 'subtask.ended':
      return [[event.data.taskId, { ended: event }]];
    case 'task.created':
    case 'message.queued':
    case 'message.edited':
    case 'message.withdrawn':
    case 'usage.recorded':
    case 'attempt.ended':
      return [];
    case 'task.status_changed':
      // That a task is taken up and goes on is told by what it does then.
      return ['queued', 'running'].includes(event.data.to) ? [] : [[`event ${event.seq}`, { note: event }]];
    default:
      return [[`event ${event.seq}`, { note: event }]];
  }
}

/** The row of these parts; null while they make none. */
export function rowOf(key: string, parts: Parts, output: string): Row | null {
  if (parts.said !== undefined) return messageRow(key, parts.said, parts.takenBack === true);
  if (parts.started !== undefined || parts.finished !== undefined) return toolRow(key, parts, output);
  if (parts.opened !== undefined || parts.closed !== undefined) return askRow(key, parts);
  if (parts.spawned !== undefined || parts.ended !== undefined) return subtaskRow(key, parts);
  return parts.note === undefined ? null : noteRow(key, parts.note);
}

function messageRow(key: string, event: Of<'message.user' | 'message.agent'>, takenBack: boolean) {
  const place = placeOf(key, event);
  const { text } = event.data;
  const rest = { text, streams: false, takenBack };
  if (event.type === 'message.user')
    return { ...place, kind: 'user', reasoning: '', source: event.data.source, ...rest } satisfies MessageRow;
  const reasoning = event.data.reasoning ?? '';
  if (text.trim() === '' && reasoning.trim() === '') return null;
  return { ...place, kind: 'agent', reasoning, source: null, ...rest } satisfies MessageRow;
}

function toolRow(key: string, { started, finished }: Parts, output: string): ToolRow | null {
  const first = started ?? finished;
  if (first === undefined) return null;
  if (TOLD_BY_EVENTS.includes(first.data.tool) && finished?.data.state !== 'errored') return null;
  return {
    ...placeOf(key, first),
    kind: 'tool',
    callId: key,
    tool: first.data.tool,
    turn: first.data.turn,
    arguments: started?.data.arguments ?? null,
    draft: '',
    state: finished?.data.state ?? 'running',
    output,
    preview: finished?.data.preview ?? null,
    media: finished?.data.media ?? [],
    sandbox: started?.data.sandbox ?? null,
    durationMs: finished?.data.durationMs ?? null,
  };
}

function askRow(key: string, { opened, closed }: Parts): AskRow | null {
  const first = opened ?? closed;
  if (first === undefined) return null;
  return {
    ...placeOf(key, first),
    kind: 'ask',
    interactionId: key,
    of: first.data.kind,
    title: opened?.data.title ?? '',
    callId: opened?.data.callId ?? null,
    closed: closed?.data ?? null,
  };
}

function subtaskRow(key: string, { spawned, ended }: Parts): SubtaskRow | null {
  const first = spawned ?? ended;
  if (first === undefined) return null;
  return {
    ...placeOf(key, first),
    kind: 'subtask',
    taskId: key,
    title: first.data.title,
    agent: spawned?.data.agent ?? '',
    ended: ended?.data ?? null,
  };
}

function noteRow(key: string, event: TaskEvent): NoteRow {
  return { ...placeOf(key, event), kind: 'note', event };
}

function placeOf(key: string, { seq, at }: TaskEvent) {
  return { key, seq, at };
}
