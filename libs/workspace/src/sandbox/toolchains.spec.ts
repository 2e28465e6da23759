import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { toolchains } from './toolchains.js';

/** Below the home, as tools of a person are; and a folder that is no home. */
let home: string;
let base: string;
beforeEach(() => {
  home = homedir();
  base = realpathSync(mkdtempSync(path.join(tmpdir(), 'tools-')));
  chmodSync(base, 0o755);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function program(folder: string): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'tool'), '#!/bin/sh\n', { mode: 0o755 });
  return folder;
}

describe('programs outside of the system', () => {
  it('come with what lies beside their bin, and with what their links lead to', () => {
    const bin = program(path.join(base, 'tool-1.2/bin'));
    const links = path.join(base, 'links');
    mkdirSync(links);
    symlinkSync(path.join(program(path.join(base, 'other/libexec')), 'tool'), path.join(links, 'other'));
    expect(toolchains(`/usr/bin:${bin}:${links}`, '/w', null)).toEqual({
      path: `/usr/bin:${bin}:${links}`,
      folders: [path.join(base, 'tool-1.2'), links, path.join(base, 'other')],
      variables: {},
    });
  });

  it('are left out where they cannot even be looked at', () => {
    const loop = path.join(base, 'loop');
    symlinkSync(loop, loop);
    expect(toolchains(`${loop}:/usr/bin`, '/w', null)).toEqual({
      path: '/usr/bin',
      folders: [],
      variables: {},
    });
  });

  it('are left out, and the command starts, where its user cannot get to them', () => {
    const bin = program(path.join(base, 'closed/bin'));
    chmodSync(path.join(base, 'closed'), 0o700);
    const somebody = { uid: 65_534, gid: 65_534 };
    const found = toolchains(`/usr/bin:${bin}`, '/w', somebody);
    expect(found).toEqual({ path: '/usr/bin', folders: [], variables: {} });
  });

  it('bring nothing of a home but the folder itself, or a tool that is known as a whole', () => {
    const folder = mkdtempSync(path.join(home, '.tools-of-a-test-'));
    try {
      const bin = program(path.join(folder, 'bin'));
      mkdirSync(path.join(folder, 'share'));
      expect(toolchains(bin, '/w', null).folders).toEqual([bin]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
