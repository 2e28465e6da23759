/** A supervisor asks its children over IPC whether they still live: an event loop that stands still answers nothing. */

/** Answers from now on. Does nothing in a process without a supervisor. */
export function answerPings(): void {
  if (process.send === undefined) return;
  process.on('message', (message: unknown) => {
    if (typeof message !== 'object' || message === null || !('type' in message) || message.type !== 'ping')
      return;
    // The supervisor may be gone by now, which the process is told of in another way.
    if (process.connected) process.send?.({ type: 'pong' }, undefined, undefined, () => undefined);
  });
}
