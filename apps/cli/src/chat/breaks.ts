/** Ctrl-C in a chat while the agent has the word. */
import { errorText } from '@bullpen/contracts';
import type { Context } from '../context.js';
import type { ChatSession } from './session.js';

/** What Ctrl-C does from the moment a message is handed over until it is the user's turn again. */
export interface Breaks {
  /** Resolves at the second Ctrl-C, and when the interrupt is refused. */
  readonly left: Promise<'left'>;
  /** The agent is at work: the first Ctrl-C interrupts it, also one that came before. */
  atWork(session: ChatSession): void;
  release(): void;
}

/** Listens at once: without a listener a Ctrl-C ends the program, and the message is on its way already. */
export function heedCtrlC({ io, onInterrupt }: Context): Breaks {
  let leave = (_: 'left'): void => undefined;
  const left = new Promise<'left'>((resolve) => (leave = resolve));
  let pressed = false;
  let session: ChatSession | null = null;
  const interrupt = (): void => {
    session?.interrupt().catch((error: unknown) => {
      io.err(io.errColors.red(errorText(error)));
      leave('left');
    });
  };
  const release = onInterrupt((times) => {
    if (times > 1) return leave('left');
    io.err(io.errColors.dim('\nInterrupting …'));
    pressed = true;
    interrupt();
  });
  const atWork = (begun: ChatSession): void => {
    session = begun;
    if (pressed) interrupt();
  };
  return { left, atWork, release };
}
