/** What can be done about a refusal reaches a terminal as commands that exist. */
import { everyAction } from '@bullpen/testing';
import { describe, expect, it } from '@jest/globals';
import { runCli } from '../test/fake-terminal.js';
import { actionLine } from './next-actions.js';

const LINES = [true, false].flatMap((optional) => everyAction({ optional }).map(actionLine));

describe('a next action at the terminal', () => {
  it.each(LINES)('is told without a route: %s', (line) => {
    expect(line).not.toMatch(/\/v1\/|(GET|POST|PATCH|PUT|DELETE) \//);
    expect(line).not.toMatch(/\.$|undefined|null/);
  });

  it.each([...new Set(LINES.flatMap((line) => /bullpen ([a-z ]+[a-z])/.exec(line)?.[1] ?? []))])(
    'is a command that exists: bullpen %s',
    async (command) => {
      const { code, out } = await runCli([...command.split(' '), '--help']);
      expect(code).toBe(0);
      expect(out).toContain(`Usage: bullpen ${command.replace('send', 'message|send')}`);
    },
  );

  it('has the options of its command', async () => {
    const options = new Map<string, Set<string>>();
    for (const line of LINES) {
      const [, command = ''] = /bullpen ([a-z ]+[a-z])/.exec(line) ?? [];
      const named = line.match(/--[a-z]+/g) ?? [];
      if (command !== '') options.set(command, new Set([...(options.get(command) ?? []), ...named]));
    }
    for (const [command, named] of options) {
      const { out } = await runCli([...command.split(' '), '--help']);
      for (const option of named) expect([command, out]).toEqual([command, expect.stringContaining(option)]);
    }
  });
});
