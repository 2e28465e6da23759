import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ioSettings } from './config.js';
import { findEndpoint, findKey } from './endpoint.js';
import { findHome } from './place.js';
import { writeUpFile } from './stack/up-file.js';

let folder: string;
let home: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bullpen-config-'));
  home = join(folder, '.bullpen');
  mkdirSync(home);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function writeUp(url: string): void {
  writeUpFile(home, {
    url,
    pid: process.pid,
    startedAt: '2026-01-01T00:00:00.000Z',
    home,
    databaseUrl: 'postgres://u:secret@127.0.0.1:1/b',
    embedded: true,
    queue: 'postgres',
    simulated: true,
    model: 'm',
    workers: [],
    sandbox: 'none',
    leftOut: [],
    gateway: { name: 'gateway', pid: 1 },
    simulator: null,
    logs: join(home, 'logs'),
  });
}

describe('the home folder', () => {
  it('is what the flag names, then the environment, then .bullpen here or in a folder above', () => {
    const deep = join(folder, 'a', 'b');
    mkdirSync(deep, { recursive: true });
    expect(findHome({ home: 'x' }, { BULLPEN_HOME: '/y' }, '/z')).toBe('/z/x');
    expect(findHome({}, { BULLPEN_HOME: '/y' }, '/z')).toBe('/y');
    expect(findHome({}, {}, deep)).toBe(home);
    rmSync(home, { recursive: true });
    expect(findHome({}, {}, deep)).toBe(join(deep, '.bullpen'));
  });
});

describe('the endpoint', () => {
  it('is what the flag names, then the environment, then the running stack', () => {
    writeUp('http://127.0.0.1:7001');
    const url = (options: object, env: object): string =>
      findEndpoint(options, env as Record<string, string>, folder).url;
    expect(url({ url: 'http://a:1/' }, { BULLPEN_URL: 'http://b:2' })).toBe('http://a:1');
    expect(url({}, { BULLPEN_URL: 'http://b:2' })).toBe('http://b:2');
    expect(url({}, {})).toBe('http://127.0.0.1:7001');
  });

  it('says how to start or name one when there is none', () => {
    expect(() => findEndpoint({}, {}, folder)).toThrow(/No running Bullpen found/);
  });

  it('refuses what is no web address', () => {
    for (const url of ['localhost:7450', 'ftp://x', 'http://'])
      expect(() => findEndpoint({ url }, {}, folder)).toThrow(/must be a URL/);
  });
});

describe('the key', () => {
  it('comes from the named file, then the environment, then the home folder', () => {
    const key = (options: object, env: Record<string, string>): string | null =>
      findKey(options, env, home).apiKey;
    expect(key({}, {})).toBeNull();
    writeFileSync(join(home, 'key'), 'from-home\n');
    writeFileSync(join(folder, 'other'), '  from-file\n');
    expect(key({}, {})).toBe('from-home');
    expect(key({}, { BULLPEN_API_KEY: 'from-env' })).toBe('from-env');
    expect(key({ keyFile: join(folder, 'other') }, { BULLPEN_API_KEY: 'from-env' })).toBe('from-file');
  });

  it('is refused when the file is missing, empty or more than a key', () => {
    expect(() => findKey({ keyFile: join(folder, 'none') }, {}, home)).toThrow(/cannot be read/);
    for (const content of ['', '\n', 'two words', 'two\nlines']) {
      writeFileSync(join(folder, 'bad'), content);
      expect(() => findKey({ keyFile: join(folder, 'bad') }, {}, home)).toThrow(
        /one API key and nothing else/,
      );
    }
  });
});

describe('the terminal', () => {
  it('is used as NO_COLOR, FORCE_COLOR and TERM say', () => {
    expect(ioSettings({ NO_COLOR: '1', TERM: 'dumb' }, [])).toEqual({
      noColor: true,
      forceColor: false,
      dumb: true,
    });
    expect(ioSettings({ NO_COLOR: '', FORCE_COLOR: '1' }, ['--no-color'])).toEqual({
      noColor: true,
      forceColor: true,
      dumb: false,
    });
    expect(ioSettings({ FORCE_COLOR: '0' }, [])).toEqual({ noColor: false, forceColor: false, dumb: false });
  });
});
