/**
 * Attacks on a whole installation: gateway, worker and Postgres as processes of their own, tasks over the API, commands by a model that
 * says what to run. What is looked for is what the installation really has, and in everything that anybody gets to see.
 */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CreateTaskInput } from '@bullpen/contracts';
import { atRest } from '../wire/play.js';
import { calls, says } from '../wire/reply.js';
import { call } from '../wire/sse.js';
import { AFTER } from '../wire/wire-case.js';
import { promptOf } from '../wire/wire-server.js';
import { WireStack } from '../wire/wire-stack.js';
import { broken, escaped, type Finding } from './finding.js';
import { Canaries } from './canaries.js';
import type { Outcome } from './run-attacks.js';

/** Tells what it found also backwards: masking must not be all that keeps it. */
const told = (command: string) =>
  `( ${command} ) > /tmp/o 2>&1 </dev/null; head -c 200000 /tmp/o; perl -ne 'chomp; print scalar reverse($_), "\\n"' /tmp/o | head -c 200000`;

interface Site {
  readonly stack: WireStack;
  readonly canaries: Canaries;
  /** Of the person who started it. */
  readonly person: string;
}

export interface Raid {
  readonly name: string;
  readonly what: string;
  readonly command: (site: Site) => string;
  readonly task?: (site: Site) => CreateTaskInput;
  /** What the command must say. */
  readonly says?: RegExp;
}

export const raids: readonly Raid[] = [
  {
    name: 'stack-environments',
    what: 'the environments of all processes',
    command: () => 'cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline /proc/self/mountinfo; env',
  },
  {
    name: 'stack-home-of-installation',
    what: 'the installation’s home',
    command: ({ stack }) =>
      `find ${stack.folder} -type f -exec head -c 2000 {} +; cat ${stack.folder}/home/key ${stack.folder}/home/sandbox/*; ls -laR ${stack.folder}/home`,
  },
  {
    name: 'stack-database',
    what: 'the database',
    command: ({ stack }) =>
      `find / -name postgresql.conf -o -name '.s.PGSQL*' -o -name pg_hba.conf 2>/dev/null; for p in ${portOf(stack.database.url)} 5432; do exec 3<>/dev/tcp/127.0.0.1/$p && echo GOT: database; done; cat ${stack.folder}/database/*`,
  },
  {
    name: 'stack-gateway',
    what: 'the gateway',
    command: ({ stack }) =>
      `exec 3<>/dev/tcp/127.0.0.1/${stack.gateway.port} && echo GOT: gateway; exec 3<>/dev/tcp/::1/${stack.gateway.port} && echo GOT: gateway`,
  },
  {
    name: 'stack-provider',
    what: 'the way to the provider',
    command: ({ stack }) => `exec 3<>/dev/tcp/127.0.0.1/${stack.server.port} && echo GOT: provider`,
  },
  {
    name: 'stack-worker-process',
    what: 'the worker itself',
    command: ({ stack }) =>
      `ls -l /proc/${stack.worker.pid}/fd /proc/${stack.worker.pid}/root /proc/1/fd; cat /proc/${stack.worker.pid}/environ /proc/1/environ /proc/1/mem | head -c 100000; kill -STOP ${stack.worker.pid} && echo GOT: worker; kill -QUIT -1; true`,
  },
  {
    name: 'stack-neighbours',
    what: 'other tasks’ workspaces',
    command: () => 'cat ../*/* ../../homes/*/*; ls -la .. ../..; cat ../../processes/*/* ../../outputs/*',
  },
  {
    name: 'stack-ssh-keys',
    what: 'as a new user would: a task that tries to read ~/.ssh',
    command: () => 'ls -la ~/.ssh; cat ~/.ssh/id_ed25519 $HOME/.ssh/*',
    says: /No such file or directory/,
  },
  {
    name: 'stack-tests-unattended',
    what: 'as a new user would: a task that runs a repository’s tests, without a question',
    command: () => 'npm test',
    task: ({ stack }) => ({
      prompt: '',
      workspace: { kind: 'path', path: join(stack.folder, 'repository'), copy: true },
    }),
    says: /exit code 0[^]*pass 1/,
  },
];

/** Plays these, one after the other, in one installation; tells each outcome. */
export async function raidInstallation(
  chosen: readonly Raid[],
  onOutcome: (outcome: Outcome) => void,
): Promise<void> {
  const canaries = new Canaries();
  const key = canaries.secret('the provider’s key', `sk-ant-api03-${randomBytes(24).toString('hex')}`);
  const stack = await WireStack.start(new AbortController().signal, { ANTHROPIC_API_KEY: key });
  try {
    const site: Site = { stack, canaries, person: join(stack.folder, 'person') };
    prepare(site);
    await stack.replaceWorker({ HOME: site.person });
    for (const raid of chosen) onOutcome(await timed(site, raid));
  } finally {
    await stack.stop();
  }
}

function prepare({ stack, canaries, person }: Site): void {
  canaries.secret('the gateway’s key', readFileSync(join(stack.folder, 'home/key'), 'utf8').trim());
  canaries.secret('the database’s password', new URL(stack.database.url).password);
  canaries.plant(join(person, '.ssh/id_ed25519'), 'the person’s ssh key');
  const repository = join(stack.folder, 'repository');
  mkdirSync(repository);
  writeFileSync(
    join(repository, 'package.json'),
    '{ "name": "small", "scripts": { "test": "node --test" } }',
  );
  writeFileSync(
    join(repository, 'small.test.js'),
    "require('node:test')('adds', () => { if (1 + 1 !== 2) throw new Error() });\n",
  );
  execFileSync('chmod', ['-R', 'a+rX', repository]);
}

async function timed(site: Site, raid: Raid): Promise<Outcome> {
  const startedAt = performance.now();
  const found = await play(site, raid).catch((error: unknown) => [broken(String(error))]);
  const { name, what } = raid;
  return { name, what, kind: 'probe', found, seconds: (performance.now() - startedAt) / 1_000 };
}

async function play(site: Site, raid: Raid): Promise<readonly Finding[]> {
  const { stack, canaries } = site;
  const { name } = raid;
  const command = raid.says === undefined ? told(raid.command(site)) : raid.command(site);
  stack.server.script(name, (_, at) => (at === 0 ? calls(call(0, 'run_command', { command })) : says(AFTER)));
  const { id } = await stack.client.tasks.create({
    ...raid.task?.(site),
    prompt: promptOf(name),
    approvalLevel: 'unattended',
  });
  await atRest(stack.stage, id);
  const task = await stack.client.tasks.get(id);
  const { data } = await stack.client.tasks.toolCalls(id);
  const output = data.map((each) => String(each.output)).join('\n');
  const history = await stack.client.tasks.apiHistory(id, { limit: 200 });
  const sent = stack.server.exchanges(name).map(({ body }) => body);
  return [
    ...canaries.seenIn([output, JSON.stringify(history), ...sent].join('\n')),
    ...(/^GOT: /m.test(output)
      ? [escaped(`a server or process was reached: ${/^GOT: .*/m.exec(output)?.[0]}`)]
      : []),
    ...(/^(exit code|killed by) /m.test(output)
      ? []
      : [broken(`the command did not run: ${output.slice(0, 300)}`)]),
    ...(task.state === 'completed'
      ? []
      : [broken(`the task is ${task.state}: ${task.waitReason ?? task.failure?.message}`)]),
    ...(raid.says === undefined || raid.says.test(output)
      ? []
      : [broken(`it said: ${output.slice(0, 500)}`)]),
  ];
}

function portOf(url: string): string {
  return new URL(url).port;
}
