/** Ctrl-C while a task is shown: the first one leaves it alone, a second one right after it cancels it. */
import type { Client, Context } from '../context.js';
import { Interrupted } from '../errors.js';

/** A second Ctrl-C that comes this soon means the task, not only the watching. */
const SECOND_PRESS_MS = 1_500;

export interface LeavingKeys {
  /** A Ctrl-C that the terminal did not turn into a signal, at a prompt for this interaction. */
  press(openId: string): void;
  /** Takes the handler away. */
  release(): void;
}

/** While a task is watched: Ctrl-C leaves it running, and a second one right after the first cancels it. */
export function leavingKeys(
  context: Context,
  client: Client,
  taskId: string,
  leave: AbortController,
): LeavingKeys {
  const { io } = context;
  let timer: NodeJS.Timeout | null = null;
  let presses = 0;
  const press = (openId?: string): void => {
    presses += 1;
    if (presses === 1) {
      // A prompt has ended its line; the terminal's own ^C has not.
      const start = openId === undefined ? '\n' : '';
      io.err(io.errColors.dim(`${start}Leaving; press Ctrl-C again now to cancel the task.`));
      timer = setTimeout(() => leave.abort(detached(taskId, openId)), SECOND_PRESS_MS);
      return;
    }
    if (timer !== null) clearTimeout(timer);
    io.err(io.errColors.dim('Cancelling …'));
    client.tasks
      .cancel(taskId, { reason: 'cancelled at the terminal' })
      .catch((error: unknown) => leave.abort(error));
  };
  const release = context.onInterrupt(() => press());
  return {
    press,
    release: () => {
      if (timer !== null) clearTimeout(timer);
      release();
    },
  };
}

function detached(taskId: string, openId: string | undefined): Interrupted {
  const answer = openId === undefined ? [] : [`answer what it asks: bullpen inbox show ${openId}`];
  const words = openId === undefined ? `${taskId} goes on.` : `${taskId} goes on waiting for the answer.`;
  return new Interrupted(`Detached: ${words}`, [
    ...answer,
    `watch it again: bullpen tasks watch ${taskId}`,
    `or end it: bullpen cancel ${taskId}`,
  ]);
}
