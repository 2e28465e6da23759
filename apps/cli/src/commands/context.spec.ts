import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startFakeGateway, type FakeGateway } from '../../test/fake-gateway.js';
import { runCli, type RunOptions, type RunResult } from '../../test/fake-terminal.js';

const REPOSITORY = join(import.meta.dirname, '../../../..');
const KEY = 'bp_a-key-that-nobody-may-see';

let folder: string;
let elsewhere: string;
let file: string;
let gateway: FakeGateway;
beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'bullpen-context-')));
  elsewhere = join(folder, 'elsewhere');
  mkdirSync(elsewhere);
  file = join(folder, 'config/bullpen/contexts.json');
  gateway = await startFakeGateway();
});
afterEach(async () => {
  await gateway.close();
  rmSync(folder, { recursive: true, force: true });
});

const run = (line: string, options: RunOptions = {}): Promise<RunResult> =>
  runCli(line.split(' '), {
    cwd: elsewhere,
    ...options,
    env: { XDG_CONFIG_HOME: join(folder, 'config'), ...options.env },
  });
const addTeam = (): Promise<RunResult> =>
  run(`context add team --url ${gateway.url}/ --key-file -`, { stdin: `${KEY}\n` });
/** The home of a Bullpen that runs, as far as a command can tell. */
function home(at: string, url = gateway.url): string {
  const path = join(at, '.bullpen');
  mkdirSync(path, { recursive: true });
  const child = { name: 'x', pid: 1 };
  const up = { url, pid: 1, startedAt: '', home: path, databaseUrl: '', embedded: true, queue: 'postgres' };
  const more = { simulated: true, model: 'm', workers: [], gateway: child, simulator: null, logs: '' };
  writeFileSync(join(path, 'up.json'), JSON.stringify({ ...up, ...more }));
  writeFileSync(join(path, 'key'), 'key-of-home\n');
  return path;
}
const keysUsed = (): (string | undefined)[] => gateway.requests.map(({ key }) => key);

describe('contexts', () => {
  it('are kept in the configuration folder of the person, for nobody else to read', async () => {
    expect(await addTeam()).toEqual({
      code: 0,
      out: '',
      err: `Added team: ${gateway.url}, now the current context\n`,
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(file, '..')).mode & 0o777).toBe(0o700);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      current: 'team',
      contexts: { team: { url: gateway.url, key: KEY } },
    });
    await runCli(['context', 'add', 'other', '--url', 'http://h'], { env: { HOME: folder } });
    expect(statSync(join(folder, '.config/bullpen/contexts.json')).mode & 0o777).toBe(0o600);
  });

  it('are listed, shown, chosen and forgotten, and their keys are never printed', async () => {
    const results = [await addTeam(), await run('context add open --url http://b.example')];
    for (const line of ['context list', 'context', 'context show', 'context show open', 'context use open'])
      results.push(await run(line), await run(`${line} --json`));
    const [list, show] = [await run('context list'), await run('context show team')];
    expect(list.out.split('\n').map((line) => line.split(/ +/))).toMatchObject([
      expect.anything(),
      ['', 'team', 'stored', gateway.url],
      ['*', 'open', 'none', 'http://b.example'],
      [''],
    ]);
    expect(show.out).toContain(`Where      ${gateway.url}`);
    results.push(list, show, await run('context remove open'), await run('context remove team --json'));
    expect(results.map(({ code }) => code)).toEqual(results.map(() => 0));
    expect(JSON.stringify(results)).not.toContain(KEY);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ current: null, contexts: {} });
  });

  it('say what is wrong with a name, an address, a key or the file, and what to do', async () => {
    await addTeam();
    const failures: [string, number, RegExp][] = [
      ['context add ../x --url http://a', 2, /cannot be a name/],
      ['context add team --url http://a', 7, /already.*\n.*context show team\n.*context remove team/],
      ['context add a --url localhost:7450', 2, /must start with http/],
      ['context add a --key-file k', 2, /--url/],
      ['context use nobody', 5, /no context "nobody".\nnext: one of these: team/],
      ['context show __proto__', 5, /no context/],
      ['agents --context nobody', 5, /no context/],
      [`agents --context team --url ${gateway.url}`, 2, /one Bullpen/],
    ];
    for (const [line, code, text] of failures)
      expect([line, await run(line)]).toEqual([
        line,
        expect.objectContaining({ code, err: expect.stringMatching(text) }),
      ]);
    expect(await run('context add a --url http://a --key-file -', { stdin: 'two words' })).toMatchObject({
      code: 2,
      err: expect.stringContaining('one API key'),
    });
    chmodSync(file, 0o644);
    expect(await run('agents')).toMatchObject({ code: 2, err: expect.stringContaining(`chmod 600 ${file}`) });
    chmodSync(file, 0o600);
    writeFileSync(file, '{"contexts": 1}');
    expect(await run('agents')).toMatchObject({ code: 2, err: expect.stringContaining(file) });
  });
});

describe('the Bullpen that a command is for', () => {
  it('is that of the current context from any folder, with the key of the context', async () => {
    await addTeam();
    expect((await run('agents', { env: { BULLPEN_API_KEY: 'for-another-gateway' } })).code).toBe(0);
    expect(keysUsed()).toEqual([`Bearer ${KEY}`]);
  });

  it('is chosen by --context and BULLPEN_CONTEXT before anything that lies about', async () => {
    await addTeam();
    await run('context add down --url http://127.0.0.1:1');
    await run('context use down');
    home(elsewhere, 'http://127.0.0.1:1');
    expect((await run('agents --context team', { env: { BULLPEN_URL: 'http://127.0.0.1:1' } })).code).toBe(0);
    expect((await run('agents', { env: { BULLPEN_CONTEXT: 'team' } })).code).toBe(0);
    expect((await run('agents --context down')).code).toBe(9);
    expect(keysUsed()).toEqual([`Bearer ${KEY}`, `Bearer ${KEY}`]);
  });

  it('is that of this folder, or of one above, before the current context', async () => {
    await run('context add down --url http://127.0.0.1:1');
    home(elsewhere);
    const below = join(elsewhere, 'src');
    mkdirSync(below);
    expect((await run('agents', { cwd: below })).code).toBe(0);
    expect(keysUsed()).toEqual(['Bearer key-of-home']);
  });

  it('is never that of the current context inside this repository', async () => {
    await addTeam();
    const result = await run('agents --home none', { cwd: REPOSITORY });
    expect([result.code, result.err]).toEqual([9, expect.stringContaining(join(REPOSITORY, 'none'))]);
    const { err } = await run('agents', { cwd: join(REPOSITORY, 'apps'), env: { BULLPEN_API_KEY: 'k' } });
    expect(err).not.toContain('team');
    expect(gateway.requests).toEqual([]);
  });

  it('can be a home folder, whose address is read anew each time', async () => {
    const path = home(folder, 'http://127.0.0.1:1');
    expect(await run('context add local', { cwd: folder })).toMatchObject({
      code: 0,
      err: `Added local: ${path}, now the current context\n`,
    });
    home(folder);
    rmSync(elsewhere, { recursive: true });
    elsewhere = mkdtempSync(join(tmpdir(), 'bullpen-elsewhere-'));
    expect((await run('agents')).code).toBe(0);
    expect(keysUsed()).toEqual(['Bearer key-of-home']);
    rmSync(elsewhere, { recursive: true });
  });
});

describe('a key that is refused', () => {
  beforeEach(() => {
    gateway.problems.set('GET /v1/agents', {
      status: 401,
      code: 'unauthorized',
      detail: 'The key is not known here.',
      nextActions: [{ action: 'key.use', text: 'Use a valid key.' }],
    });
  });

  it.each<[string, string, RunOptions]>([
    ['agents --context team', 'context team', {}],
    ['agents --url URL', 'BULLPEN_API_KEY', { env: { BULLPEN_API_KEY: KEY } }],
    ['agents --url URL --key-file FILE', 'FILE', {}],
    ['agents --url URL --home HOME', 'HOME/key', {}],
  ])('is named by its source: %s', async (line, source, options) => {
    await addTeam();
    const paths = { URL: gateway.url, FILE: join(folder, 'key'), HOME: home(folder) };
    writeFileSync(paths.FILE, KEY);
    const fill = (text: string): string =>
      text.replace(/URL|FILE|HOME/g, (name) => paths[name as keyof typeof paths]);
    const result = await run(fill(line), options);
    expect(result.code).toBe(6);
    expect(result.err).toContain(`refused the key from ${fill(source)}: The key is not known`);
    expect(result.err).toContain('next: use a valid key: --key-file');
    expect(result.err).not.toContain(KEY);
    expect(result.err).not.toContain('Authorization');
  });

  it('is told as well when there is none', async () => {
    const { code, err } = await run(`agents --url ${gateway.url}`);
    expect([code, err]).toEqual([
      6,
      expect.stringContaining(
        `needs a key, and none was found (there is no ${join(elsewhere, '.bullpen/key')})`,
      ),
    ]);
  });
});
