import type { Row } from '@bullpen/client';
import { describe, expect, it } from '@jest/globals';
import { textOf } from './copied.js';

const PLACE = { key: 'k', seq: 1, at: '' };
const CALL = {
  ...PLACE,
  kind: 'tool',
  callId: 'call_1',
  tool: 'run_command',
  turn: 1,
  arguments: { command: 'npm test' },
  draft: '',
  state: 'done',
  output: '',
  preview: 'exit code 0\nfine…',
  media: [],
  sandbox: null,
  durationMs: 3,
} as const satisfies Row;

describe('a row in the clipboard', () => {
  it('is a call with its arguments and with all that it gave back, or what is known of it', () => {
    expect(textOf(CALL, 'exit code 0\nfine, all of it')).toBe(
      'run_command {"command":"npm test"}\nexit code 0\nfine, all of it',
    );
    expect(textOf(CALL, null)).toBe('run_command {"command":"npm test"}\nexit code 0\nfine…');
  });

  it('is what was said, or what was thought where nothing was said', () => {
    const said = {
      ...PLACE,
      kind: 'agent',
      text: 'Done.',
      reasoning: 'Hm',
      source: null,
      streams: false,
      takenBack: false,
    } as const;
    expect(textOf(said, null)).toBe('Done.');
    expect(textOf({ ...said, text: '' }, null)).toBe('Hm');
  });
});
