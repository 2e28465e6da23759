/** What a command can put in the place of a file that the worker reads must neither hang it nor fill its memory. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { NO_RULES } from '@bullpen/contracts';
import { commandFacts } from './command-facts.js';
import { HiddenPaths } from './hidden-paths.js';
import { readPlainFile, startOfPlainFile } from './plain-file.js';
import { walk } from './walk.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'plain-file-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const at = (name: string): string => path.join(root, name);

/** Things that look like a file to whoever only reads. */
const ODD: readonly (readonly [what: string, plant: (file: string) => void])[] = [
  ['a pipe without a writer', (file) => void execFileSync('mkfifo', [file])],
  ['a link to a device without end', (file) => symlinkSync('/dev/zero', file)],
  ['a link to a file', (file) => symlinkSync('/etc/hostname', file)],
  ['a folder', (file) => void mkdirSync(file)],
  [
    'a file that is too large',
    (file) => {
      writeFileSync(file, '');
      truncateSync(file, 10 * 1_024 ** 3);
    },
  ],
];

describe('a plain file', () => {
  it('is read as it is, and is nothing when it is not there', () => {
    writeFileSync(at('a'), 'some bytes');
    expect(readPlainFile(at('a'), 10)?.toString()).toBe('some bytes');
    expect(readPlainFile(at('b'), 10)).toBeNull();
    expect(readPlainFile(at('a/b'), 10)).toBeNull();
    expect(startOfPlainFile(at('a'), 4)?.start.toString()).toBe('some');
    expect(startOfPlainFile(at('a'), 400)).toEqual({ start: Buffer.from('some bytes'), size: 10 });
  });

  it.each(ODD)('is not %s', (_, plant) => {
    plant(at('a'));
    expect(() => readPlainFile(at('a'), 1_000)).toThrow();
  });
});

describe.each(ODD)('with %s in its place', (_, plant) => {
  it('.bullpenignore hides everything', () => {
    plant(at('.bullpenignore'));
    expect(HiddenPaths.of(root).hides(['a.txt'], false)).toBe(true);
  });

  it('.gitignore ignores nothing', async () => {
    writeFileSync(at('a.txt'), '');
    plant(at('.gitignore'));
    const found = await walk(root, {}, new AbortController().signal);
    expect(found.map((entry) => entry.path)).toContain('a.txt');
  });

  it.each(['.git', '.git/index', '.git/commondir', '.git/config'])(
    '%s leaves it open what a repository keeps',
    (name) => {
      if (name !== '.git') {
        mkdirSync(at('.git/objects'), { recursive: true });
        writeFileSync(at('.git/index'), emptyIndex);
        rmSync(at(name), { force: true });
      }
      plant(at(name));
      expect(facts().gitPaths()).toBeNull();
    },
  );

  it('an object of a repository keeps nobody waiting', () => {
    mkdirSync(at('.git/objects/ab'), { recursive: true });
    writeFileSync(at('.git/index'), emptyIndex);
    writeFileSync(at('.git/config'), '[core]\n');
    plant(at(`.git/objects/ab/${'c'.repeat(38)}`));
    expect([null, []]).toContainEqual(facts().gitPaths());
  });

  it('.npmrc may hold credentials', () => {
    plant(at('.npmrc'));
    expect(facts().holdsNoCredentials(at('.npmrc'))).toBe(false);
  });
});

const emptyIndex = Buffer.concat([Buffer.from('DIRC\0\0\0\x02\0\0\0\0', 'latin1'), Buffer.alloc(20)]);

function facts() {
  const more = { boxed: true, openedHosts: [] };
  return commandFacts(root, { cwd: '.', searchPath: '/usr/bin', files: NO_RULES.files, ...more });
}
