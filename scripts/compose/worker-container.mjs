/** A container with the options that the compose file gives a worker, started by the engine alone. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { docker, ROOT } from './engine.mjs';

/** The checks of `bullpen doctor` in such a container; those of a running installation fail there. */
export async function doctorInWorkerContainer(image) {
  const { worker } = parse(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'), { merge: true }).services;
  const options = [
    ...worker.cap_drop.flatMap((name) => ['--cap-drop', name]),
    ...worker.security_opt.flatMap((option) => ['--security-opt', withDefault(option)]),
    ...worker.tmpfs.flatMap((folder) => ['--tmpfs', folder]),
    ...['--pids-limit', String(worker.pids_limit), '--volume', '/data/workspaces', '--volume', '/data/homes'],
  ];
  const look = 'bullpen doctor --json || true';
  const { stdout } = await docker(['run', '--rm', '--read-only', ...options, image, 'sh', '-c', look]);
  return JSON.parse(stdout).checks;
}

/** `${NAME:-default}` as compose reads it when NAME is not set. */
function withDefault(option) {
  return option.replace(/\$\{\w+:-([^}]*)\}/g, '$1');
}
