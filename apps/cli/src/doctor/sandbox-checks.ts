/** What holds the commands of agents on this machine, proved by trying to get out of it. */
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { errorText } from '@bullpen/contracts';
import type { UpSettings } from '@bullpen/platform';
import {
  chooseSandbox,
  nobodyUser,
  proveSandbox,
  sandboxCandidates,
  type SandboxProof,
} from '@bullpen/workspace';
import type { Check } from './check.js';

type SandboxSettings = Pick<UpSettings, 'SANDBOX' | 'SANDBOX_IMAGE' | 'BULLPEN_HOME' | 'COMMAND_USER'>;

const INSTALLATION = path.resolve(fileURLToPath(new URL('../../../..', import.meta.url)));

/** Which box commands get on this machine, found by starting one. */
export async function sandboxChecks(settings: SandboxSettings): Promise<Check[]> {
  const { SANDBOX, BULLPEN_HOME } = settings;
  if (SANDBOX === 'off')
    return [without('info', 'SANDBOX=off', 'SANDBOX=auto takes the best one that works')];
  // There as the workers do it, unless that would be the first thing in it.
  const isThere = existsSync(BULLPEN_HOME);
  const folder = isThere
    ? path.join(BULLPEN_HOME, 'sandbox')
    : await mkdtemp(path.join(tmpdir(), 'bullpen-'));
  try {
    if (!isThere) await chmod(folder, 0o711);
    return await checksIn(folder, settings);
  } catch (error) {
    return [without('fail', errorText(error), 'mend what is named, or set SANDBOX=off')];
  } finally {
    if (!isThere) await rm(folder, { recursive: true, force: true });
  }
}

async function checksIn(stateFolder: string, settings: SandboxSettings): Promise<Check[]> {
  const { SANDBOX, SANDBOX_IMAGE, BULLPEN_HOME, COMMAND_USER } = settings;
  const user = await nobodyUser(COMMAND_USER);
  const covered = [BULLPEN_HOME, INSTALLATION];
  const candidates = sandboxCandidates({ stateFolder, covered, user, image: SANDBOX_IMAGE });
  const { sandbox, problems } = await chooseSandbox(SANDBOX, candidates);
  const why = problems.join('; ');
  if (sandbox.level === 'none')
    return [without(SANDBOX === 'required' ? 'fail' : 'warn', why, 'do what it says, then run this again')];
  const proofs = await proveSandbox(sandbox, { stateFolder, covered, user });
  const failed = proofs.filter(({ holds }) => !holds).length;
  const level: Check = {
    name: 'Sandbox',
    status: failed > 0 ? 'fail' : why === '' ? 'ok' : 'warn',
    proof: `${sandbox.level}: ${proofs.length - failed} of ${proofs.length} promises hold${why && `; ${why}`}`,
    ...(failed > 0 && {
      fix: 'set SANDBOX=required and do not run tasks that you do not trust, until this is mended',
    }),
  };
  return [level, ...proofs.map(checkOf)];
}

function checkOf({ promise, holds, proof }: SandboxProof): Check {
  return { name: 'In the sandbox', status: holds ? 'ok' : 'fail', proof: `${promise}: ${proof}` };
}

function without(status: Check['status'], why: string, fix: string): Check {
  const risk = 'commands can read what their user can read, and reach the network';
  return { name: 'Sandbox', status, proof: `none (${why}): ${risk}`, fix };
}
