/**
 * Sentences typed and pasted at every prompt of the real command line, at a real terminal. What is sent would reach the
 * gateway. Slow, because keys come as fast as people type: pasted text is told from typing by time.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { InteractionView } from '@bullpen/contracts';
import { assertNoProcessLeft, aStory, ROOT, waitFor } from '@bullpen/testing';
import { aTaskView } from '../../test/a-task.js';
import { startFakeGateway, type FakeGateway } from '../../test/fake-gateway.js';
import { COMMAND, PROMPTS } from '../../test/prompts.js';
import { KEY, Pty } from '../../test/pty.js';
import { SENTENCES } from '../../test/sentences.js';

const BIN = fileURLToPath(new URL('../../bin/bullpen.js', import.meta.url));
/** About as fast as anybody types, and slow enough that each key comes by itself. */
const TYPING_MS = 80;
const PASTE = { begin: '\u001b[200~', end: '\u001b[201~' };
const WAITS = /Later[^]*arrow keys/;

const raw = (sentence: string): string => sentence.replaceAll(/\r?\n/g, KEY.enter);

describe('a sentence at a prompt', () => {
  let gateway: FakeGateway;
  let temp: string;
  let terminals: Pty[] = [];

  beforeAll(async () => {
    temp = await mkdtemp(join(tmpdir(), 'bullpen-consent-'));
  });
  beforeEach(async () => {
    gateway = await startFakeGateway();
    gateway.keepOpen = true;
  });
  afterEach(async () => {
    await Promise.all(terminals.map((terminal) => terminal.kill()));
    terminals = [];
    await gateway.close();
  });
  afterAll(async () => {
    await rm(temp, { recursive: true, force: true });
    await assertNoProcessLeft();
  });

  function terminal(...args: string[]): Pty {
    const env = {
      BULLPEN_URL: gateway.url,
      BULLPEN_API_KEY: 'k1',
      BULLPEN_HOME: join(temp, 'home'),
      VISUAL: '',
      EDITOR: 'sed -i s/b/edited/',
    };
    const pty = new Pty(BIN, args, { cwd: temp, env });
    terminals.push(pty);
    return pty;
  }

  /** A task that waits for this. */
  function asks(view: InteractionView): void {
    const { created, tell, state } = aStory();
    const { id: interactionId, kind, callId, title } = view;
    gateway.task = aTaskView({ state: 'waiting', waitReason: 'approval', autonomy: 'agent', eventSeq: 0 });
    gateway.streams = [
      [
        created(ROOT, 'Explain', null),
        state(ROOT, 'queued', 'running'),
        tell(ROOT, {
          type: 'interaction.opened',
          data: { interactionId, kind, callId, title, expiresInMs: null },
        }),
        state(ROOT, 'running', 'waiting', { reason: 'approval' }),
      ],
    ];
    gateway.answers.set(`/v1/interactions/${interactionId}`, view);
    gateway.answers.set('/v1/interactions', { data: [view], nextCursor: null, hasMore: false });
  }

  /** What was changed at the gateway after the task was there. */
  const sent = (): string[] =>
    gateway.requests
      .filter(({ method }) => method !== 'GET')
      .map(({ method, path, body }) => `${method} ${path} ${JSON.stringify(body)}`)
      .filter((request) => !request.startsWith('POST /v1/tasks {'));

  async function typeSlowly(pty: Pty, keys: string): Promise<void> {
    for (const key of keys) {
      pty.type(key);
      await sleep(TYPING_MS);
    }
  }

  /** All of it, in every way; the last words say when everything has been read. */
  async function typeEverything(pty: Pty): Promise<void> {
    await typeSlowly(pty, `just go${KEY.enter}ja${KEY.enter}`);
    for (const sentence of SENTENCES) {
      pty.type(raw(sentence) + KEY.enter);
      pty.type(`${PASTE.begin}${raw(sentence)}${PASTE.end}${KEY.enter}`);
      pty.type(KEY.up + raw(sentence) + KEY.down + KEY.enter);
    }
    pty.type('and that was all');
    await pty.sees(/and that was all/);
  }

  it.each(PROMPTS)(
    'sends nothing at the prompt of $name',
    async ({ view, way }) => {
      asks(view);
      const pty = terminal('run', 'Look at this', '--autonomy', 'agent');
      await pty.sees(WAITS);
      for (const ups of way) {
        pty.type(KEY.up.repeat(ups) + KEY.enter);
        await pty.sees(/\?[^]*(?:Escape|arrow keys)/);
      }
      await typeEverything(pty);
      expect(sent()).toEqual([]);
      pty.type(KEY.ctrlC);
      await pty.sees(/Leaving/);
      expect(sent()).toEqual([]);
    },
    60_000,
  );

  it('sends nothing while a task is watched, and approves by an arrow key and Enter', async () => {
    asks(COMMAND);
    const pty = terminal('tasks', 'watch', ROOT);
    await pty.sees(WAITS);
    await typeEverything(pty);
    expect(sent()).toEqual([]);
    pty.type(KEY.escape);
    await pty.sees(/❯ Later/);
    pty.type(KEY.down + KEY.enter);
    await waitFor(() => sent().length > 0, { what: 'the answer to reach the gateway' });
    expect(sent()).toEqual([expect.stringContaining('"decision":"approve"')]);
  });

  it('sends nothing in a chat with an open question, nor on its line when that was left open', async () => {
    asks(COMMAND);
    const pty = terminal('chat');
    await pty.sees(/> $/);
    pty.type(`Good morning${KEY.enter}`);
    await pty.sees(WAITS);
    await typeEverything(pty);
    pty.type(KEY.escape);
    await pty.sees(/❯ Later/);
    pty.type(KEY.escape);
    await pty.sees(/Left open[^]*> $/);
    pty.type(`just go${KEY.enter}`);
    await pty.sees(/instead of an answer\?[^]*Do not send it[^]*arrow keys/);
    await typeEverything(pty);
    expect(sent()).toEqual([]);
    pty.type(KEY.escape);
    await pty.sees(/❯ Do not send it/);
    pty.type(KEY.enter);
    await pty.sees(/> $/);
    for (const sentence of ['/undo that, please', '/reset everything', '/quit smoking', '/open the door']) {
      pty.type(sentence + KEY.enter);
      await pty.sees(/Nothing was done[^]*> $/);
    }
    expect(sent()).toEqual([]);
  });

  it('drops what was typed before the prompt was there, and while it opens', async () => {
    asks(COMMAND);
    const pty = terminal('run', 'Look at this', '--autonomy', 'agent');
    for (let typed = 0; typed < 6; typed += 1) await typeSlowly(pty, `just${KEY.down}${KEY.enter}`);
    await pty.sees(WAITS);
    expect(sent()).toEqual([]);
    expect(pty.screen).not.toMatch(/Left open|Not sent/);
  });
});
