import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { programPlace } from './program-place.js';

// Not in the folder for temporary files, which everybody writes.
let base: string;
let root: string;
beforeAll(() => {
  base = realpathSync(mkdtempSync(path.join(homedir(), '.program-place-')));
  root = path.join(base, 'ws');
  for (const folder of ['tools', 'open', 'ws/bin', 'ws/node_modules/.bin'])
    mkdirSync(path.join(base, folder), { recursive: true });
  for (const file of ['tools/tool', 'open/tool', 'ws/tool', 'ws/bin/tool', 'ws/node_modules/.bin/jest']) {
    writeFileSync(path.join(base, file), '#!/bin/sh\n');
    chmodSync(path.join(base, file), 0o755);
  }
  writeFileSync(path.join(root, 'notes'), '');
  chmodSync(path.join(base, 'open'), 0o777);
  symlinkSync(path.join(root, 'tool'), path.join(base, 'tools/linked'));
  symlinkSync(path.join(base, 'tools'), path.join(root, 'away'));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const place = (word: string, ...parts: string[]) =>
  programPlace(word, root, root, parts.map((part) => part.replace('BASE', base)).join(':'));

describe('what a shell would run', () => {
  it.each([
    ['tool', ['BASE/tools'], 'system'],
    ['Tool', ['BASE/tools'], 'missing'],
    ['tool.exe', ['BASE/tools'], 'missing'],
    ['tool', ['BASE/nowhere', 'BASE/tools'], 'system'],
    ['tool', ['BASE/tools', '.'], 'system'],
    ['tool', ['.', 'BASE/tools'], 'project'],
    ['tool', ['', 'BASE/tools'], 'project'],
    ['tool', ['bin', 'BASE/tools'], 'project'],
    ['tool', ['BASE/ws/bin', 'BASE/tools'], 'project'],
    ['tool', ['BASE/open', 'BASE/tools'], 'project'],
    ['tool', ['away'], 'project'],
    ['linked', ['BASE/tools'], 'project'],
    ['linked', ['.', 'BASE/tools'], 'project'],
    ['notes', ['.', '/usr/bin'], 'missing'],
    ['jest', ['BASE/ws/node_modules/.bin', '/usr/bin'], 'project'],
    ['jest', ['BASE/tools', 'node_modules/.bin'], 'project'],
    ['node_modules/.bin/jest', ['/usr/bin'], 'project'],
    ['./node_modules/.bin/none', ['/usr/bin'], 'project'],
    ['tool', ['BASE/ws/node_modules/.bin', 'BASE/tools'], 'system'],
    ['./tool', ['BASE/tools'], 'project'],
    ['bin/tool', ['BASE/tools'], 'project'],
    ['./nothing', ['BASE/tools'], 'project'],
    ['BASE/tools/tool', ['BASE/tools'], 'system'],
    ['BASE/tools/tool', ['/usr/bin'], 'project'],
    ['BASE/ws/../tools/tool', ['BASE/tools'], 'project'],
    ['/bin/sh', [''], 'system'],
    ['/usr/bin/no-such-program', [''], 'missing'],
    ['/bin/../bin/sh', [''], 'project'],
    ['/tmp/sh', ['/tmp'], 'missing'],
  ] as const)('%s along %j: %s', (word, parts, expected) => {
    expect(place(word.replace('BASE', base), ...parts)).toBe(expected);
  });
});
