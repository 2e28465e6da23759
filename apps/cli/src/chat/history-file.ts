/** What was typed in chats, for the arrow keys; for its owner's eyes only. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const MOST_LINES = 500;

/** Newest first, as readline wants it. Kept only where there is a home folder to keep it in. */
export interface InputHistory {
  readonly lines: readonly string[];
  save(lines: readonly string[]): void;
}

/** What was typed in earlier chats, the newest last. A file that cannot be read or written costs the history and nothing else. */
export function inputHistory(home: string): InputHistory {
  const path = join(home, 'chat-history');
  const history = {
    lines: load(path),
    save: (lines: readonly string[]): void => {
      history.lines = lines.slice(0, MOST_LINES);
      if (!existsSync(home)) return;
      writeFileSync(path, `${history.lines.toReversed().join('\n')}\n`, { mode: 0o600 });
    },
  };
  return history;
}

function load(path: string): string[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.filter((line) => line !== '').toReversed();
}
