/** What holds the commands of this worker's tasks, said once at its start. */
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger, WorkerSettings } from '@bullpen/platform';
import {
  chooseSandbox,
  hostGate,
  sandboxCandidates,
  type CommandUser,
  type Sandbox,
} from '@bullpen/workspace';
import { ownFolderOf } from './own-folder-of.js';

/** The folder that this installation runs from. */
const INSTALLATION = resolve(fileURLToPath(new URL('../../..', import.meta.url)));

/** The strongest sandbox that works on this machine and that the setting `SANDBOX` allows, with a line in the log about what it holds. */
export async function sandboxOf(
  settings: Pick<
    WorkerSettings,
    'SANDBOX' | 'SANDBOX_IMAGE' | 'BULLPEN_HOME' | 'WORKER_FOLDER' | 'NETWORK_ALLOW_PRIVATE'
  >,
  user: CommandUser | null,
  logger: Logger,
): Promise<Sandbox> {
  const { SANDBOX, BULLPEN_HOME, NETWORK_ALLOW_PRIVATE, SANDBOX_IMAGE } = settings;
  const { sandbox, problems } = await chooseSandbox(
    SANDBOX,
    sandboxCandidates({
      stateFolder: join(BULLPEN_HOME, 'sandbox'),
      covered: [...new Set([BULLPEN_HOME, ownFolderOf(settings)]), INSTALLATION],
      user,
      image: SANDBOX_IMAGE,
      gate: hostGate({
        addresses: { allowed: NETWORK_ALLOW_PRIVATE ?? [] },
        report: (report) => logger.debug(report, 'a command asked for a host'),
      }),
      onProblem: (error) => logger.error({ err: error }, 'the workspace could not be looked after'),
    }),
  );
  const facts = { sandbox: sandbox.level, setting: SANDBOX, ...(problems.length > 0 && { problems }) };
  if (sandbox.level !== 'none') logger.info(facts, 'commands run in a sandbox');
  else if (SANDBOX === 'required') logger.warn(facts, 'no sandbox works here: commands are refused');
  else
    logger.warn(
      facts,
      'commands run without a sandbox: they can read what their user can, and reach the network',
    );
  return sandbox;
}
