/** The borrowed pages in a real browser: they work, and load nothing from any other host. */
import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.js';

interface Visit {
  readonly seen: unknown;
  /** Requests that went elsewhere. */
  readonly foreign: readonly string[];
  /** What the browser complained of; a request that the page's policy stopped is among it. */
  readonly complaints: readonly string[];
}

const BROWSER = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const available = spawnSync(BROWSER, ['--version']).status === 0;
if (!available && process.env['REQUIRE_BROWSER'] === '1')
  throw new Error(`REQUIRE_BROWSER=1, and there is no ${BROWSER}`);

(available ? describe : describe.skip)('in a browser', () => {
  let bullpen: TestGateway;
  beforeAll(async () => {
    bullpen = await startTestGateway();
  });
  afterAll(() => bullpen?.close());

  it('the API reference sends a task with the body that it offers, which only reads', async () => {
    const { seen, ...rest } = await visit('docs');
    expect(seen).toMatchObject({
      status: 201,
      body: { prompt: expect.any(String), agent: 'explorer' },
      task: { state: 'queued', approvals: { alwaysAllowWrite: false, alwaysAllowExecute: false } },
    });
    expect(rest).toEqual({ foreign: [], complaints: [] });
  });

  it('the queue dashboard shows the jobs with what it has here', async () => {
    await bullpen.post('/v1/tasks', { prompt: 'x' });
    expect(await visit('queue-board')).toEqual({
      seen: { title: expect.any(String) },
      foreign: [],
      complaints: [],
    });
    expect(await (await bullpen.call('/admin/queues')).text()).not.toMatch(/(?:href|src)="(?:https?:)?\/\//);
  });

  it('the sign-in page takes a link that is pasted into it, says when one is used up, and takes the next one', async () => {
    const { seen, complaints, foreign } = await visit('sign-in');
    const login = `${bullpen.url}/login`;
    expect(seen).toEqual({
      back: { address: login, text: expect.stringContaining('already signed in') },
      told: [login, login, login],
      signedInBefore: false,
      heading: expect.not.stringContaining('Sign in'),
    });
    expect(foreign).toEqual([]);
    // The browser notes the three links that were refused.
    expect(complaints).toEqual(Array(3).fill(expect.stringContaining('401')));
  });

  async function loginLink(): Promise<string> {
    return ((await (await bullpen.post('/v1/login-links')).json()) as { url: string }).url;
  }

  async function visit(script: string): Promise<Visit> {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [join(import.meta.dirname, '../../test/browser', `${script}.mjs`)],
      {
        env: {
          ...process.env,
          NODE_OPTIONS: '',
          CHROMIUM: BROWSER,
          GATEWAY_URL: bullpen.url,
          LOGIN_LINKS: `${await loginLink()} ${await loginLink()}`,
        },
      },
    );
    return JSON.parse(stdout) as Visit;
  }
});
