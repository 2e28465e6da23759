/** What happened beside what was said and called, in words: one line for each event that has one. */
import { count, duration, usd } from '@bullpen/client';
import type { TaskEvent } from '@bullpen/contracts';
import type { Translate } from '../../../i18n/texts.js';
import { checkpointName } from '../checkpoint-name.js';
import { causeText, stateText } from '../../../ui/state.js';

export interface Note {
  readonly text: string;
  /** In the words of somebody else: a provider, a tool, an error. */
  readonly said?: string | undefined;
  readonly tone: 'plain' | 'good' | 'warn' | 'bad';
  readonly mark?: 'flag' | undefined;
  /** From here on the model is sent less than what stands above; a summary in its place, where there is one. */
  readonly shortened?: { readonly summary: string | null };
}

type Of<Type extends TaskEvent['type']> = Extract<TaskEvent, { type: Type }>;
type Tell<Type extends TaskEvent['type']> = (data: Of<Type>['data'], t: Translate) => Note | null;

/** So many names are given; the rest is counted. */
const NAMED = 3;

const plain = (text: string, said?: string): Note => ({ text, said, tone: 'plain' });
const warn = (text: string, said?: string): Note => ({ text, said, tone: 'warn' });
const bad = (text: string, said?: string): Note => ({ text, said, tone: 'bad' });

const shorter = (text: string, summary: string | null, tone: Note['tone'] = 'plain'): Note => ({
  text,
  tone,
  shortened: { summary },
});

const NOTES: { readonly [Type in TaskEvent['type']]?: Tell<Type> } = {
  'task.status_changed': stateNote,
  'task.cancel_requested': ({ reason }, t) => warn(t('note.cancelRequested'), reason ?? undefined),
  'task.pause_requested': (_, t) => plain(t('note.pauseRequested')),
  'task.interrupted': ({ reason }, t) => warn(t(reason === 'user' ? 'note.interrupted' : 'note.deadline')),
  'task.updated': ({ changes }, t) => plain(t('note.updated', { what: Object.keys(changes).join(', ') })),
  'task.imported': ({ by }, t) => plain(t('note.imported', { by })),
  'task.forked_from': ({ messages }, t) => plain(t('note.forkedFrom', { n: messages })),
  'workspace.incomplete': ({ leftOut, total }, t) =>
    warn(
      t('note.incomplete', { n: total }),
      named(
        leftOut.map(({ path, why }) => `${path} (${why})`),
        t,
      ),
    ),
  'workspace.cloned': ({ url, branch }, t) =>
    plain(t('note.cloned', { from: branch === null ? url : `${url} (${branch})` })),
  'workspace.in_place': ({ path }, t) => warn(t('note.inPlace', { path })),
  'checkpoint.taken': (data, t) => ({ ...plain(checkpointText(data, t)), mark: 'flag' }),
  'checkpoint.failed': ({ message }, t) => warn(t('note.checkpointFailed'), message),
  'workspace.rebuilt': ({ turn, lostCalls }, t) => warn(t('note.rebuilt', { turn, n: lostCalls.length })),
  'workspace.restore_requested': ({ by }, t) => plain(t('note.restoreRequested', { by })),
  'workspace.restored': ({ files, insertions, deletions, kept }, t) =>
    warn(
      t('note.restored', { n: files, insertions, deletions }),
      kept === 0 ? undefined : t('note.restoreKept', { n: kept }),
    ),
  'workspace.restore_failed': ({ message }, t) => bad(t('note.restoreFailed'), message),
  // The first one, and going on after a wait, are told by what the agent does.
  'attempt.started': ({ attempt, workerId }, t) =>
    attempt === 1 ? null : plain(t('note.attempt', { attempt, worker: workerId })),
  'worker.lost': ({ workerId }, t) => warn(t('note.workerLost', { worker: workerId })),
  'task.taken_over': takenOverNote,
  'history.rewound': ({ messageIds }, t) => warn(t('note.rewound', { n: messageIds.length })),
  'context.masked': (data, t) => shorter(t('note.masked', { n: data.outputs, ...sizes(data) }), null),
  'context.condensed': (data, t) =>
    shorter(
      data.costUsd === null
        ? t('note.condensed', { n: data.messages, ...sizes(data) })
        : t('note.condensedFor', { n: data.messages, cost: usd(data.costUsd), ...sizes(data) }),
      data.text,
    ),
  'context.truncated': (data, t) =>
    shorter(t('note.truncated', { n: data.messages, ...sizes(data) }), null, 'warn'),
  'context.summary_refused': ({ reason }, t) => warn(t('note.summaryRefused'), reason),
  'todo.updated': ({ todos }, t) => {
    const done = todos.filter(({ status }) => status === 'completed').length;
    const now = todos.find(({ status }) => status === 'in_progress');
    return plain(t('note.todos', { done, of: todos.length }), now?.text);
  },
  'budget.warning': ({ spentUsd, limitUsd }, t) =>
    warn(t('note.budget', { spent: usd(spentUsd), limit: usd(limitUsd) })),
  'context.warning': ({ percent, context }, t) =>
    warn(t('note.context', { percent }), `${count(context.tokens)} / ${count(context.budget)}`),
  'retry.scheduled': ({ message, delayMs }, t) => warn(t('note.retry', { in: duration(delayMs) }), message),
  'provider.waiting': ({ message, delayMs }, t) =>
    warn(delayMs === null ? t('note.keyRefused') : t('note.provider', { in: duration(delayMs) }), message),
  'mode.changed': ({ from, to, trigger, reason }, t) =>
    plain(t('note.mode', { from, to, trigger }), reason ?? undefined),
  'mode.refused': ({ mode, trigger, refusal }, t) => warn(t('note.modeRefused', { mode, trigger }), refusal),
  'autonomy.switched': ({ from, to, by }, t) => plain(t(`note.autonomy.${by}`, { from, to })),
  'profile.switched': ({ from, to, by, reason }, t) => warn(t(`note.profile.${by}`, { from, to }), reason),
  'profile.skipped': ({ profile, reason }, t) => warn(t('note.profile.skipped', { profile }), reason),
  'limit.reached': ({ message, cause }, t) =>
    bad(t('note.limit', { cause: causeText(cause, t) ?? cause }), message),
  error: ({ message, code }) => bad(code, message),
};

function sizes({
  tokensBefore,
  tokensAfter,
}: {
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}) {
  return { before: count(tokensBefore), after: count(tokensAfter) };
}

/** Null: there is nothing to say, because something else on the screen says it. */
export function noteOf(event: TaskEvent, t: Translate): Note | null {
  // The type of the event chooses its teller; the compiler cannot follow that through the table.
  const tell = NOTES[event.type] as ((data: TaskEvent['data'], t: Translate) => Note | null) | undefined;
  return tell?.(event.data, t) ?? null;
}

/** These waits have cards of their own, which say more. */
const SHOWN_BY_CARDS: readonly (string | null | undefined)[] = ['approval', 'answer', 'budget', 'provider'];

function stateNote(
  { to, reason, cause, failure }: Of<'task.status_changed'>['data'],
  t: Translate,
): Note | null {
  if (to === 'waiting' && SHOWN_BY_CARDS.includes(reason)) return null;
  const why = causeText(cause, t);
  const text = t(stateText({ state: to, waitReason: reason ?? null })) + (why === null ? '' : ` (${why})`);
  const tone = to === 'failed' ? 'bad' : to === 'completed' ? 'good' : 'plain';
  return { text, said: failure?.message, tone };
}

function takenOverNote(data: Of<'task.taken_over'>['data'], t: Translate): Note {
  const { repeated, cutOff, modelCalls, to } = data;
  const found = [
    ...(repeated.length > 0 ? [t('note.repeated', { n: repeated.length })] : []),
    ...(cutOff.length > 0 ? [t('note.cutOff', { n: cutOff.length })] : []),
    ...(modelCalls > 0 ? [t('note.sentAgain', { n: modelCalls })] : []),
  ];
  return plain([t('note.takenOver', { worker: to }), ...found].join(' · '));
}

function checkpointText(data: Of<'checkpoint.taken'>['data'], t: Translate): string {
  const { files, insertions, deletions } = data;
  const name = checkpointName(data, t);
  return files === 0 ? name : `${name} · ${t('checkpoint.changed', { n: files, insertions, deletions })}`;
}

function named(all: readonly string[], t: Translate): string {
  const more = all.length - NAMED;
  return all.slice(0, NAMED).join(', ') + (more > 0 ? ` ${t('note.more', { n: more })}` : '');
}
