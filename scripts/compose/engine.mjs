/** The Docker engine and the compose command of this machine, as far as the compose scripts need them. */
import { execFile, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Runs a program to its end and gives what it printed. Throws with all of its output when it fails or takes too long. */
export function run(program, args, { env = {}, input, timeoutMs = 60_000, cwd = ROOT } = {}) {
  return new Promise((resolve, reject) => {
    const options = { cwd, env: { ...process.env, ...env }, timeout: timeoutMs, maxBuffer: 1 << 28 };
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      if (error === null) return resolve({ stdout, stderr });
      const how = error.killed ? `took more than ${timeoutMs / 1_000} s` : `exit code ${error.code}`;
      const said = `${stdout}${stderr}`.trim().slice(-4_000);
      reject(new Error(`${program} ${args.slice(0, 12).join(' ')}: ${how}\n${said}`, { cause: error }));
    });
    // A program that ends without reading its input has failed already, and says why itself.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}

/** The same, and null when it fails. */
export async function tryRun(program, args, options) {
  try {
    return await run(program, args, options);
  } catch {
    // Whoever calls this asks whether it works.
    return null;
  }
}

export const docker = (args, options) => run('docker', args, options);

/**
 * An engine that answers: the one that runs, or one that is started here for the time being (Linux, as root). `stop` ends only
 * that one. Null when there is none to be had.
 */
export async function findEngine() {
  if (await engineAnswers()) return { stop: () => Promise.resolve() };
  if (
    process.getuid?.() !== 0 ||
    process.env.DOCKER_HOST ||
    (await tryRun('dockerd', ['--version'])) === null
  )
    return null;
  const daemon = spawn('dockerd', [], { stdio: 'ignore', detached: true });
  const ended = new Promise((resolve) => {
    daemon.once('exit', resolve);
    daemon.once('error', resolve);
  });
  const stop = async () => {
    daemon.kill('SIGTERM');
    await ended;
  };
  for (let tries = 0; tries < 60 && daemon.exitCode === null; tries += 1) {
    if (await engineAnswers()) return { stop };
    await sleep(500);
  }
  await stop();
  return null;
}

async function engineAnswers() {
  return (await tryRun('docker', ['info'], { timeoutMs: 20_000 })) !== null;
}

/** `docker compose`, or docker-compose of the same meaning; null when there is neither. */
export async function findCompose() {
  const plugin = await tryRun('docker', ['compose', 'version', '--short']);
  if (plugin !== null) return { program: ['docker', 'compose'], version: plugin.stdout.trim() };
  const standalone = await tryRun('docker-compose', ['version', '--short']);
  if (standalone !== null) return { program: ['docker-compose'], version: standalone.stdout.trim() };
  return null;
}

/** The images that Dockerfile and compose file begin with, by what they are for. */
export function baseImages() {
  const { services } = parse(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'), { merge: true });
  const node = /^ARG NODE_IMAGE=(\S+)$/m.exec(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'))?.[1];
  return { node, postgres: services.postgres.image, redis: services.redis.image };
}

/** Base images that are not here and cannot be pulled either. Pulls only what is not here. */
export async function missingImages() {
  const missing = [];
  for (const image of Object.values(baseImages())) {
    if ((await tryRun('docker', ['image', 'inspect', image])) !== null) continue;
    console.log(`pulling ${image} …`);
    if ((await tryRun('docker', ['pull', image], { timeoutMs: 600_000 })) === null) missing.push(image);
  }
  return missing;
}

/** True when a package's folder is there. */
export function isInstalled(path) {
  return existsSync(join(ROOT, 'node_modules', path));
}
