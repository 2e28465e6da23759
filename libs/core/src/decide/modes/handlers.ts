/**
 * What happens to the mode context when a mode is left and when one is entered. Pure: there is nothing that a crash could cut in two. A
 * handler that throws keeps the task in the mode that it is in.
 */
import { errorText } from '@bullpen/contracts';
import { EMPTY_CONTEXT, type ModeContext } from '../../task/mode-context.js';
import { IDLE } from './machine.js';

export interface ModeHandler {
  readonly enter?: (context: ModeContext) => ModeContext;
  readonly exit?: (context: ModeContext) => ModeContext;
}
export type ModeHandlers = Readonly<Record<string, ModeHandler>>;

/** The reset points. What is changed and not committed stays so, whatever the mode. */
const HANDLERS: ModeHandlers = {
  [IDLE]: {
    // The work is over: what was found out for it is of no use for the next.
    enter: ({ seq, changed, allowedSince }) => ({ ...EMPTY_CONTEXT, seq, changed, allowedSince }),
  },
  debug: {
    // The cause is known, or given up; either way the error has been dealt with.
    exit: (context) => ({ ...context, lastError: null }),
  },
};

/** The context on the other side. `problem`: why the mode cannot be left or entered; then the context is as before. */
export function handled(
  context: ModeContext,
  from: string,
  to: string,
  handlers: ModeHandlers = HANDLERS,
): { readonly context: ModeContext; readonly problem: string | null } {
  let doing = `Leaving ${from}`;
  try {
    const left = handlers[from]?.exit?.(context) ?? context;
    doing = `Entering ${to}`;
    return { context: handlers[to]?.enter?.(left) ?? left, problem: null };
  } catch (error) {
    return { context, problem: `${doing} failed: ${errorText(error)}` };
  }
}
