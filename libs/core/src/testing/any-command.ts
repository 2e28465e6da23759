import type { CommandVerdictLike } from '../ports/command-judge.js';

/** A judge of commands that finds nothing wrong with any line, for tests that are about something else. */
export const approvesAnyCommand = (): CommandVerdictLike => ({
  decision: 'approve',
  reason: 'known',
  rule: 'approve.known',
  message: 'Every command is fine here.',
  span: null,
  parts: [],
});
