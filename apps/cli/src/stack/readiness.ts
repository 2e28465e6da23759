/** Whether what was started can do its work: a start that says "ready" must be. */
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, errorText, Readiness } from '@bullpen/contracts';
import { probeRedis } from '../doctor/redis-probe.js';

/** A server that is just being started by somebody else. */
const REDIS_PATIENCE_MS = 5_000;
/** The first looks of a gateway on a busy machine may take their time. */
const GATEWAY_PATIENCE_MS = 20_000;
const LOOK_EVERY_MS = 250;

/** Throws `queue_unreachable` when Redis does not answer, or takes no writes. */
export async function requireRedis(url: string, signal: AbortSignal): Promise<void> {
  const problem = await untilNone(REDIS_PATIENCE_MS, signal, async () => {
    try {
      return (await probeRedis(url)).refusesWrites;
    } catch (error) {
      return error instanceof Error
        ? error.message || String((error as NodeJS.ErrnoException).code)
        : String(error);
    }
  });
  if (problem === null) return;
  throw new AppError(
    'queue_unreachable',
    `Redis at ${withoutPassword(url)} cannot be used: ${problem}.\n` +
      'Start it, or correct REDIS_URL; without REDIS_URL the queue is in PostgreSQL.',
  );
}

/** Throws `not_ready`, with what is missing, when the gateway cannot do its work. */
export async function requireReady(
  baseUrl: string,
  signal: AbortSignal,
  patienceMs = GATEWAY_PATIENCE_MS,
): Promise<void> {
  const problem = await untilNone(patienceMs, signal, () =>
    readinessOf(baseUrl, signal).then(missingIn, (error: unknown) => {
      signal.throwIfAborted();
      return errorText(error);
    }),
  );
  if (problem !== null)
    throw new AppError('not_ready', `Bullpen was started, but cannot do its work: ${problem}.`);
}

/** Not by `fetch`: its first use takes 14 MiB, for as long as the supervisor runs. The gateway was started here, and speaks plain HTTP. */
function readinessOf(baseUrl: string, signal: AbortSignal): Promise<Readiness> {
  return new Promise((resolve, reject) => {
    request(new URL('/readyz', baseUrl), { signal, agent: false }, (response) => {
      text(response)
        .then((body) => resolve(Readiness.parse(JSON.parse(body))))
        .catch(reject);
    })
      .on('error', reject)
      .end();
  });
}

function missingIn({ status, checks }: Readiness): string | null {
  if (status === 'ready') return null;
  return checks
    .filter(({ ok }) => !ok)
    .map(({ name, detail }) => `${name}: ${detail}`)
    .join('; ');
}

/** The last problem when there still is one after the time; null as soon as there is none. */
async function untilNone(
  patienceMs: number,
  signal: AbortSignal,
  look: () => Promise<string | null>,
): Promise<string | null> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const problem = await look();
    if (problem === null || performance.now() > deadline) return problem;
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    signal.throwIfAborted();
  }
}

function withoutPassword(url: string): string {
  const parsed = new URL(url);
  if (parsed.password !== '') parsed.password = '***';
  return parsed.href;
}
