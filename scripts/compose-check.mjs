#!/usr/bin/env node
/**
 * Proves docker-compose.yml on a real engine: builds the image, starts everything with three workers and the model simulator,
 * has this repository surveyed, kills a worker in the middle of it, compares the report with an independent count, checks the
 * invariants, replaces all workers one by one during a second survey, and takes everything down.
 *
 * `npm run compose:check`. Without an engine, a compose command or base images it says so and ends with `skipped`; with
 * REQUIRE_DOCKER=1 that is a failure. The image `bullpen:check` is kept, so that the next run builds only what changed.
 */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { docker, findCompose, findEngine, missingImages } from './compose/engine.mjs';
import { takeSample, wrongNumbers } from './compose/sample.mjs';
import { ask, ComposeStack, until } from './compose/stack.mjs';
import { doctorInWorkerContainer } from './compose/worker-container.mjs';

const WORKERS = 3;
const SETTINGS = {
  BULLPEN_VERSION: 'check',
  ANTHROPIC_API_KEY: 'simulated',
  ANTHROPIC_BASE_URL: 'http://simulator:8787',
  MODEL_SIMULATED: 'true',
  COMPOSE_PROFILES: 'simulator',
  // Slow enough that there is a middle, and too few slots for one worker to run everything.
  SIM_SPEED: '6',
  WORKER_SLOTS: '2',
};
const SURVEY_MS = 300_000;

async function main() {
  // Until there is a verdict: a process that runs out of things to wait for must not look like a success.
  process.exitCode = 1;
  const engine = await findEngine();
  if (engine === null) return skip('No Docker engine answers, and none can be started here.');
  try {
    const compose = await findCompose();
    if (compose === null) return skip('There is neither `docker compose` nor docker-compose.');
    const missing = await missingImages();
    if (missing.length > 0)
      return skip(
        `Cannot be pulled: ${missing.join(', ')}. scripts/compose/local-images.mjs can make stand-ins.`,
      );
    console.log(`compose ${compose.version}`);
    await check(await ComposeStack.prepare(compose, SETTINGS));
    console.log('passed');
    process.exitCode = 0;
  } finally {
    await engine.stop();
  }
}

async function check(stack) {
  const interrupted = new Promise((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'])
      process.once(signal, () => reject(new Error(`interrupted by ${signal}`)));
  });
  try {
    await Promise.race([interrupted, story(stack)]);
    await stack.remove();
  } catch (error) {
    console.error(await tellAndRemove(stack));
    throw error;
  }
  assert.deepEqual(await stack.leftovers(), [], 'containers, volumes or networks are left');
}

/** What the containers said last. Takes them down whatever happens, and keeps the first error the one that is reported. */
async function tellAndRemove(stack) {
  const attempts = [stack.compose(['ps']), stack.compose(['logs', '--no-color', '--tail', '40'])];
  const said = (await Promise.allSettled(attempts)).map(
    ({ value, reason }) => value?.stdout ?? reason.message,
  );
  const removed = await Promise.allSettled([stack.remove()]);
  return [...said, ...removed.map(({ reason }) => reason?.message ?? '')].join('\n');
}

async function story(stack) {
  await step('refuses to start without a password', () => refusesWithoutPasswords(stack));
  await step('builds the image', () => stack.build());
  await step(`starts, with ${WORKERS} workers`, async () => {
    await stack.up(WORKERS);
    await workersAlive(stack);
  });
  await step('answers to its own names only, and logs a browser in', () => signsIn(stack));
  await step('keeps the secrets of a worker from its commands', () => hidesSecrets(stack));
  await step('gives each command a box in a container of a worker, without a privilege', holdsCommands);
  await step('says what holds the commands of its workers', () => namesSandbox(stack));
  const sample = await step('takes a sample', () => takeSample());
  await step('unpacks it where tasks may work', () =>
    stack.exec(
      'worker',
      ['sh', '-c', 'mkdir -p /projects/sample && base64 -d | tar -xz -C /projects/sample'],
      {
        input: sample.archive,
      },
    ),
  );
  await step('survives the death of a worker in the middle of a survey', () => survivesKill(stack, sample));
  await step('holds every invariant', () => holdsInvariants(stack));
  await step('replaces every worker during another survey', () => rollsWorkers(stack, sample));
  await step('holds every invariant again', () => holdsInvariants(stack));
  await step('finds nothing wrong with itself', async () => {
    const { checks } = await stack.bullpen('doctor');
    assert.deepEqual(
      checks.filter(({ status }) => status === 'fail'),
      [],
    );
  });
  await step('stops in order', () => stopsInOrder(stack));
}

async function step(what, work) {
  const began = Date.now();
  const result = await work();
  console.log(`ok  ${what} (${((Date.now() - began) / 1_000).toFixed(1)} s)`);
  return result;
}

async function refusesWithoutPasswords(stack) {
  for (const name of ['POSTGRES_PASSWORD', 'REDIS_PASSWORD', 'ANTHROPIC_API_KEY']) {
    for (const value of [null, ''])
      await assert.rejects(
        stack.compose(['config', '--quiet'], { changes: { [name]: value } }),
        /put it into \.env/,
      );
  }
  await stack.compose(['config', '--quiet']);
}

/** The workers that are alive now, as the gateway knows them. */
function workersAlive(stack) {
  return until(`${WORKERS} live workers`, 120_000, async () => {
    const containers = await stack.containers('worker');
    const { workers } = await stack.api('/v1/system');
    const alive = workers.filter(({ host }) => containers.some((id) => id.startsWith(host)));
    return containers.length === WORKERS && alive.length === WORKERS && alive;
  });
}

async function signsIn(stack) {
  const ready = await (await ask(`${stack.url}/readyz`)).json();
  assert.equal(ready.status, 'ready', JSON.stringify(ready));
  assert.equal(await statusFor(stack.url, 'evil.example'), 403);
  const link = new URL((await stack.exec('gateway', ['bullpen', 'open'])).trim());
  assert.equal(link.origin, stack.url);
  const session = await ask(`${stack.url}/v1/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: stack.url },
    body: JSON.stringify({ code: link.hash.slice(1) }),
  });
  assert.equal(session.status, 201);
  const page = await ask(stack.url, {
    headers: { cookie: session.headers.get('set-cookie').split(';')[0] },
  });
  assert.equal(page.status, 200);
}

/** `fetch` sets the Host header itself. */
function statusFor(url, host) {
  return new Promise((resolve, reject) => {
    request(`${url}/docs`, { headers: { host } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    })
      .on('error', reject)
      .end();
  });
}

/** Commands of agents run as the worker's own user: what they see of it is what any process of that user sees. */
async function hidesSecrets(stack) {
  const look = `
    const { readdirSync, readFileSync } = require('node:fs');
    const parent = (pid) => readFileSync('/proc/' + pid + '/stat', 'utf8').split(') ').at(-1).split(' ')[1];
    const readable = (path) => { try { return readFileSync(path).length > 0; } catch { return false; } };
    const pids = readdirSync('/proc').filter((name) => name === '1' || (/^\\d+$/.test(name) && parent(name) === '1'));
    console.log(JSON.stringify({ uid: process.getuid(), pids, open: pids.filter((pid) => readable('/proc/' + pid + '/environ')) }));`;
  const { uid, pids, open } = JSON.parse(await stack.exec('worker', ['node', '-e', look]));
  assert.notEqual(uid, 0);
  assert.ok(pids.length >= 2, `the init and the worker: ${pids.join()}`);
  assert.deepEqual(open, [], 'environments that commands can read');
  await assert.rejects(stack.exec('worker', ['cat', '/data/key']), /No such file/);
  await assert.rejects(stack.exec('worker', ['touch', '/app/x']), /Read-only file system/);
}

/** The options of the compose file, given to the engine itself, which knows them all. */
async function holdsCommands() {
  const checks = await doctorInWorkerContainer(`bullpen:${SETTINGS.BULLPEN_VERSION}`);
  const { status, proof } = checks.find(({ name }) => name === 'Sandbox');
  assert.equal(status, 'ok', proof);
  assert.match(proof, /bubblewrap/);
  console.log(`    ${proof}`);
}

async function namesSandbox(stack) {
  const expected = stack.isOld ? 'none' : 'bubblewrap';
  const { workers } = await stack.api('/v1/system');
  assert.deepEqual([...new Set(workers.map(({ sandbox }) => sandbox))], [expected]);
}

function submitSurvey(stack, title) {
  return stack.api('/v1/tasks', {
    agent: 'survey-lead',
    title,
    prompt: 'Survey this workspace and write the report REPORT.md.',
    workspace: { kind: 'path', path: '/projects/sample', copy: true },
    approvals: { alwaysAllowWrite: true, alwaysAllowSubtasks: true, alwaysAllowUpdateTodoList: true },
  });
}

async function survivesKill(stack, sample) {
  const { id } = await submitSurvey(stack, 'A survey that loses a worker');
  const victim = await until('a busy worker', 60_000, async () => {
    const { workers, tasks } = await stack.api('/v1/system');
    // The lead waits for its subtasks: what runs now are these.
    return (tasks.waiting ?? 0) > 0 && workers.find(({ running }) => running > 0);
  });
  const container = (await stack.containers('worker')).find((candidate) => candidate.startsWith(victim.host));
  await docker(['kill', container]);
  await surveyEnds(stack, id, sample);
  const { repairs } = await stack.api('/v1/system');
  const made = Object.values(repairs).reduce((sum, count) => sum + count, 0);
  assert.ok(made > 0, 'the killed worker held nothing: this run proved nothing');
  console.log(`    repairs: ${JSON.stringify(repairs)}`);
}

async function surveyEnds(stack, id, sample) {
  const ENDED = ['completed', 'failed', 'cancelled'];
  const task = await until('the end of the survey', SURVEY_MS, async () => {
    const now = await stack.api(`/v1/tasks/${id}`);
    return ENDED.includes(now.state) && now;
  });
  const report = await stack.exec('worker', ['cat', `${task.workspacePath}/REPORT.md`]);
  assert.deepEqual(wrongNumbers(task, report, sample.counted), [], JSON.stringify(task.failure));
}

async function holdsInvariants(stack) {
  const { ok, invariants } = await stack.bullpen('doctor', '--invariants');
  assert.ok(ok && invariants.length >= 11, JSON.stringify(invariants.filter(({ holds }) => !holds)));
}

async function rollsWorkers(stack, sample) {
  await stack.up(WORKERS);
  await workersAlive(stack);
  const old = await stack.containers('worker');
  const { id } = await submitSurvey(stack, 'A survey during an upgrade');
  for (const container of old) {
    await docker(['stop', container]);
    assert.equal(await exitCodeOf(container), 0, 'a stopped worker ends with 0');
    await docker(['rm', container]);
    await stack.up(WORKERS, ['--no-deps', '--no-recreate', 'worker']);
    await workersAlive(stack);
  }
  await surveyEnds(stack, id, sample);
}

async function stopsInOrder(stack) {
  await stack.compose(['stop']);
  for (const service of ['gateway', 'worker', 'postgres', 'redis'])
    for (const container of await stack.containers(service, { all: true }))
      assert.equal(await exitCodeOf(container), 0, `exit code of ${service}`);
}

async function exitCodeOf(container) {
  const { stdout } = await docker(['inspect', '--format', '{{.State.ExitCode}}', container]);
  return Number(stdout);
}

function skip(why) {
  console.log(why);
  if (process.env.REQUIRE_DOCKER) throw new Error('REQUIRE_DOCKER is set');
  console.log('skipped');
  process.exitCode = 0;
}

main().catch((error) => {
  console.error(error instanceof assert.AssertionError ? error : error.message);
  process.exitCode = 1;
});
