/** Advice that reaches a terminal is about commands that exist, and about the thing at hand. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ApiError } from '@bullpen/client';
import { describe, expect, it } from '@jest/globals';
import pc from 'picocolors';
import { runCli } from '../test/fake-terminal.js';
import { errorDocument, renderError } from './errors.js';
import { inCommands } from './routes-as-commands.js';

const ID = `task_${'0'.repeat(26)}`;

/** Every text in the sources of the gateway that names a route, but for what documents the routes themselves. */
function advice(): string[] {
  const folder = fileURLToPath(new URL('../../gateway/src', import.meta.url));
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const sources = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'));
  return sources.flatMap((file) =>
    readFileSync(join(folder, file), 'utf8')
      .split('\n')
      .filter((line) => !/^\s*(\*|\/\/|\/\*\*|description:|summary:|@)/.test(line))
      .flatMap((line) => [
        ...line.matchAll(/(['`])((?:(?!\1).)*(?:GET|POST|PATCH|PUT|DELETE) \/(?:(?!\1).)*)\1/g),
      ])
      .map((match) => match[2] ?? ''),
  );
}

describe('the advice of the API', () => {
  const texts = advice();

  it('is found where it is written', () => {
    expect(texts.length).toBeGreaterThan(15);
  });

  it.each(texts)('names a command that exists instead of a route: %s', async (text) => {
    const said = inCommands(text) ?? '';
    expect(said).not.toMatch(/\/v1\/|(GET|POST|PATCH|PUT|DELETE) \//);
    const commands = [...said.matchAll(/bullpen ((?:[a-z]+ ?)+)/g)].map((match) => match[1]?.trim() ?? '');
    expect(commands).not.toEqual([]);
    for (const command of commands) {
      const words = command.split(' ').slice(0, 2);
      const helps = await Promise.all([words, words.slice(0, 1)].map((path) => runCli([...path, '--help'])));
      expect(helps.map(({ code }) => code)).toContain(0);
    }
  });

  it('is about the task that the request was about', () => {
    const text = 'Send another one: POST /v1/tasks/{id}/messages.';
    expect(inCommands(text, `/v1/tasks/${ID}/messages/inbox_1`)).toBe(
      `Send another one: bullpen send ${ID} "TEXT".`,
    );
    expect(inCommands(text, '/v1/tasks/nonsense/messages')).toBe('Send another one: bullpen send ID "TEXT".');
  });

  it('is left out where only a route would help, in words and in JSON', () => {
    const error = new ApiError({
      type: 'about:blank',
      title: 'No',
      status: 404,
      code: 'not_found',
      traceId: 't',
      detail: 'There is no such thing.',
      nextActions: ['See /docs for all routes.', 'TRACE it with POST /v1/unheard/of.', 'Check the id.'],
    });
    expect(renderError(error, pc.createColors(false))).toBe(
      'error: There is no such thing.\nnext: Check the id.',
    );
    expect(errorDocument(error)).toMatchObject({ error: { nextActions: ['Check the id.'] } });
  });
});
