/** What outsiders get of a task: masked everywhere, for as long as it was meant. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventPage, NewShare, SharedTree, ShareList, SharePreview, TaskExport } from '@bullpen/contracts';
import { Masker, NO_SECRETS } from '@bullpen/core';
import { appendEvent, problemFrom, startTestGateway, type TestGateway } from '../testing/test-gateway.js';
import { redactDeep, redactText } from './redaction.js';

let bullpen: TestGateway;
const REGISTERED = 'kL9vQ2xT7bN4wE8r';
beforeAll(async () => {
  bullpen = await startTestGateway({ masker: new Masker([{ name: 'VAULT', value: REGISTERED }]) });
});
afterAll(() => bullpen?.close());

const SECRETS = ['tok_live_51xyzABCDEFGH', 'mina', 'hunter2hunter2', 'AKIAIOSFODNN7EXAMPLE', REGISTERED];
const OUTPUT = `export FOO_TOKEN=tok_live_51xyzABCDEFGH\ncd /home/mina/app; password: hunter2hunter2 AKIAIOSFODNN7EXAMPLE`;

async function aTask(): Promise<string> {
  const body = { prompt: `Look at /home/mina/app with ${REGISTERED}`, title: 'Look at /home/mina' };
  const { id } = (await (await bullpen.post('/v1/tasks', body)).json()) as { id: string };
  const call = { callId: 'c', tool: 'run_command', turn: 1 };
  await appendEvent(bullpen, id, {
    type: 'tool.started',
    data: { ...call, arguments: { command: 'env', env: { API_KEY: 'hunter2hunter2' } } },
  });
  await appendEvent(bullpen, id, {
    type: 'tool.finished',
    data: { ...call, state: 'done', durationMs: 1, preview: OUTPUT },
  });
  return id;
}
const share = async (id: string) => {
  const made = await bullpen.post(`/v1/tasks/${id}/shares`, { days: 1 });
  expect(made.status).toBe(201);
  const { url, id: shareId } = NewShare.parse(await made.json());
  return { shareId, token: url.split('#')[1] ?? '' };
};
const clean = (text: string) => SECRETS.filter((secret) => text.includes(secret));

describe('an export', () => {
  it('holds the task and what happened, and no key, token or home folder', async () => {
    const id = await aTask();
    const json = await (await bullpen.call(`/v1/tasks/${id}/export?format=json`)).text();
    expect(clean(json)).toEqual([]);
    const document = TaskExport.parse(JSON.parse(json));
    expect(document.tasks[0]?.events.map(({ type }) => type)).toContain('tool.finished');
    const response = await bullpen.call(`/v1/tasks/${id}/export`);
    expect(response.headers.get('content-disposition')).toContain(`${id}.md`);
    const markdown = await response.text();
    expect(clean(markdown)).toEqual([]);
    expect(markdown).toContain('# Look at /home/…');
    expect(markdown).toContain('**run_command**');
    expect((await bullpen.call(`/v1/tasks/${id}/export`, { key: bullpen.otherKey })).status).toBe(404);
  });
});

describe('a share', () => {
  it('is looked at first: every masked place, with what stands around it', async () => {
    const id = await aTask();
    const preview = SharePreview.parse(await (await bullpen.call(`/v1/tasks/${id}/shares/preview`)).json());
    expect(preview.masked).toBeGreaterThanOrEqual(6);
    expect(new Set(preview.places.map(({ kind }) => kind))).toEqual(
      new Set(['registered', 'credential', 'home']),
    );
    expect(preview.places.some(({ field }) => field === '/preview')).toBe(true);
    expect(clean(JSON.stringify(preview))).toEqual([]);
  });

  it('shows the task to whoever has its token, masked in every answer that it opens', async () => {
    const id = await aTask();
    const { token } = await share(id);
    const tree = await bullpen.call('/v1/shared', { key: token });
    const shown = await tree.text();
    expect(SharedTree.parse(JSON.parse(shown)).tasks[0]?.title).toBe('Look at /home/…');
    const events = await (await bullpen.call(`/v1/shared/events?taskId=${id}`, { key: token })).text();
    expect(EventPage.parse(JSON.parse(events)).data.length).toBeGreaterThanOrEqual(3);
    expect(clean(shown + events)).toEqual([]);
    // It opens nothing else.
    for (const path of [
      `/v1/tasks/${id}`,
      '/v1/tasks',
      `/v1/search?q=look`,
      '/v1/stream',
      `/v1/tasks/${id}/export`,
    ])
      expect((await bullpen.call(path, { key: token })).status).toBe(401);
    const other = await aTask();
    expect((await bullpen.call(`/v1/shared/events?taskId=${other}`, { key: token })).status).toBe(404);
  });

  it('ends when it is revoked or has expired, and looks then as if it had never been', async () => {
    const id = await aTask();
    const [first, second] = [await share(id), await share(id)];
    const foreign = await bullpen.call(`/v1/shares/${first.shareId}`, {
      method: 'DELETE',
      key: bullpen.otherKey,
    });
    expect(foreign.status).toBe(404);
    expect((await bullpen.call('/v1/shared', { key: first.token })).status).toBe(200);
    await bullpen.call(`/v1/shares/${first.shareId}`, { method: 'DELETE' });
    await bullpen.pool.query(`UPDATE shares SET expires_at = now() WHERE id = $1`, [second.shareId]);
    const details = [];
    for (const key of [first.token, second.token, `share_${'x'.repeat(43)}`, 'bp_x', null]) {
      const problem = await problemFrom(await bullpen.call('/v1/shared', { key }));
      details.push([problem.status, problem.detail]);
    }
    expect(new Set(details.map((detail) => JSON.stringify(detail))).size).toBe(1);
    const list = ShareList.parse(await (await bullpen.call(`/v1/tasks/${id}/shares`)).json());
    expect(list.data.map(({ opened }) => opened).sort()).toEqual([0, 1]);
    const { rows } = await bullpen.pool.query<{ hash: string }>('SELECT hash FROM shares');
    expect(rows.some(({ hash }) => hash.includes('share_'))).toBe(false);
  });

  it('has a page that loads nothing from elsewhere and needs no key', async () => {
    const response = await bullpen.call('/shared', { key: null });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-security-policy')).not.toContain('unsafe-inline');
    const script = await (await bullpen.call('/shared/show.js', { key: null })).text();
    expect(script).not.toContain('innerHTML');
  });
});

describe('masking', () => {
  it.each([
    ['Authorization: Bearer abcdefgh12345678', 'abcdefgh12345678'],
    ['https://user:pa55word@e.test/x', 'pa55word'],
    ['{"client_secret": "q1w2e3r4"}', 'q1w2e3r4'],
    ['"{\\"password\\":\\"q1w2e3r4\\"}"', 'q1w2e3r4'],
    ['eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.abc', 'eyJzdWIi'],
    ['-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----', 'MIIEow'],
    ['C:\\Users\\mina\\x and /Users/mina/x', 'mina'],
    ['ghp_0123456789abcdefABCDEF sk-ant-api03-xyz12345', '0123456789abcdef'],
  ])('takes the secret out of %j', (text, secret) => {
    expect(redactText(text, NO_SECRETS)).not.toContain(secret);
  });

  it.each(['a', 'pwd', 'eyJ-', '://'])('is done with a long word of %j at once', (part) => {
    const word = part.repeat(300_000);
    expect(redactText(`${word} client_secret=q1w2e3r4`, NO_SECRETS)).toMatch(/ client_secret=\[hidden\]$/);
  });

  it('leaves ordinary text, ids and numbers as they are', () => {
    const text = 'Task task_01kb3v8r9hg43zj6vcj3wa678j used 1,840 tokens; the key idea: home is /srv/app.';
    expect(redactText(text, NO_SECRETS)).toBe(text);
    expect(redactDeep({ tokens: 5, usage: { inputTokens: 3 }, title: 'x' }, NO_SECRETS)).toEqual({
      ...{ tokens: 5, usage: { inputTokens: 3 }, title: 'x' },
    });
  });
});
