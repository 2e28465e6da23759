import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { sandboxChecks } from './sandbox-checks.js';

const settings = { SANDBOX_IMAGE: undefined, BULLPEN_HOME: '/tmp/no-such-home', COMMAND_USER: 'nobody' };
const itInBox = existsSync('/usr/bin/bwrap') ? it : it.skip;

it('says plainly that there is no sandbox when it is switched off', async () => {
  const [check] = await sandboxChecks({ ...settings, SANDBOX: 'off' });
  expect(check).toMatchObject({ status: 'info', proof: expect.stringContaining('none (SANDBOX=off)') });
});

itInBox('proves each promise of the sandbox, and leaves nothing behind', async () => {
  const checks = await sandboxChecks({ ...settings, SANDBOX: 'auto' });
  expect(checks.map(({ status }) => status)).toEqual(checks.map(() => 'ok'));
  expect(checks[0]?.proof).toMatch(/^bubblewrap: (\d+) of \1 promises hold$/);
  expect(existsSync(settings.BULLPEN_HOME)).toBe(false);
});

itInBox('fails where a sandbox is required and no folder is open to the user of commands', async () => {
  const home = await mkdtemp(path.join(tmpdir(), 'closed-'));
  const [check] = await sandboxChecks({ ...settings, BULLPEN_HOME: home, SANDBOX: 'required' });
  await rm(home, { recursive: true, force: true });
  // An ordinary user owns the folder, and root hands its rights to another one.
  if (process.getuid?.() !== 0) expect(check?.status).toBe('ok');
  else expect(check).toMatchObject({ status: 'fail', proof: expect.stringMatching(/can't enter a folder/) });
});
