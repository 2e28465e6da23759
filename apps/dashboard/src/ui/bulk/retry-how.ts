/** How many tasks are tried again: from where they stopped or from the beginning, with more of the limits that they reached. Pure. */
import type { CreateBulkActionInput, Limits, StopCause } from '@bullpen/contracts';
import type { TextKey } from '../../i18n/keys.js';

export type BulkVerbName = 'retry' | 'cancel' | 'archive' | 'unarchive';

type Action = CreateBulkActionInput['action'];

export interface RetryHow {
  readonly mode: 'resume' | 'new';
  /** As they are typed; empty: as it was. */
  readonly limits: Readonly<Partial<Record<Room, string>>>;
}

export type Room = 'turns' | 'tokens' | 'minutes' | 'costUsd';

export const AS_IT_WAS: RetryHow = { mode: 'resume', limits: {} };

/** Which limit a task reached that ended so. */
const ROOMS: Readonly<Partial<Record<StopCause, Room>>> = {
  turn_limit: 'turns',
  token_limit: 'tokens',
  time_limit: 'minutes',
  cost_limit: 'costUsd',
};

export const ROOM_TEXTS: Readonly<Record<Room, TextKey>> = {
  turns: 'bulk.turns',
  tokens: 'bulk.tokens',
  minutes: 'bulk.minutes',
  costUsd: 'bulk.costUsd',
};

/** The limits that tasks with these ends have reached: without more of them a retry is refused. */
export function roomsOf(byCause: readonly { readonly cause: string }[]): Room[] {
  return byCause.flatMap(({ cause }) => ROOMS[cause as StopCause] ?? []);
}

/** Null when something is typed that is no limit. */
export function actionOf(verb: BulkVerbName, { mode, limits }: RetryHow): Action | null {
  if (verb !== 'retry') return { verb };
  const typed = Object.entries(limits).filter(([, text]) => text.trim() !== '');
  if (!typed.every(([room, text]) => FORMS[room as Room].test(text.trim()))) return null;
  return {
    verb,
    mode,
    ...(typed.length > 0 && { limits: limitsOf(Object.fromEntries(typed)) }),
  };
}

const COUNT = /^[1-9]\d{0,11}$/;
const FORMS: Readonly<Record<Room, RegExp>> = {
  turns: COUNT,
  tokens: COUNT,
  minutes: /^[1-9]\d{0,5}$/,
  costUsd: /^\d{1,9}(\.\d{1,6})?$/,
};

function limitsOf({ turns, tokens, minutes, costUsd }: RetryHow['limits']): Partial<Limits> {
  return {
    ...(turns !== undefined && { turns: Number(turns) }),
    ...(tokens !== undefined && { tokens: Number(tokens) }),
    ...(minutes !== undefined && { activeMs: Number(minutes) * 60_000 }),
    ...(costUsd !== undefined && { costUsd: costUsd.trim() }),
  };
}
