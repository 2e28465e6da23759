import { FaultPlan, type QueuedFault } from './faults/fault-plan.js';
import { createApp } from './http/create-app.js';
import { PromptCache } from './prompt-cache.js';
import { RateLimits, type ScenarioLimits } from './rate-limits.js';
import type { Speed } from './reply/write-stream.js';
import { RequestLog, type RequestLogEntry } from './request-log.js';
import type { Scenario } from './scenario.js';
import { builtInScenarios } from './scenarios/built-in.js';
import { TokenCount } from './tokens.js';

export interface ModelSimOptions {
  /** @defaultValue 0: a free port */
  port?: number | undefined;
  /** @defaultValue '127.0.0.1' */
  host?: string | undefined;
  /** @defaultValue the built-in scenarios */
  scenarios?: readonly Scenario[] | undefined;
  /** Multiplier on the simulated pacing; 'max' or 0 for none. @defaultValue 1 */
  speed?: Speed | undefined;
  /** JSONL file that every request is appended to. */
  logFile?: string | undefined;
  /** Clock of the prompt cache and the rate limits, in milliseconds. @defaultValue Date.now */
  now?: (() => number) | undefined;
  /** A tokenizer, for counts and for what prompts are billed as. @defaultValue characters / 3.5 */
  tokensOf?: ((text: string) => number) | undefined;
}

export interface ModelSim {
  /** Base URL for a client, such as `http://127.0.0.1:8787`. */
  url: string;
  port: number;
  /** Requests served so far (the 50,000 latest), oldest first. An entry is there before its client has the whole answer. */
  requests(): RequestLogEntry[];
  /** Queues faults for the requests to come, as `POST /sim/faults` does. */
  injectFaults(faults: readonly QueuedFault[]): void;
  /** Forgets queued faults. */
  clearFaults(): void;
  /** Stops at once: open streams are broken off and logged as aborted. Safe to call twice. */
  close(): Promise<void>;
}

/** Starts a simulator. Rejects when the port is taken or the log can't be opened. */
export async function startModelSim(options: ModelSimOptions = {}): Promise<ModelSim> {
  const {
    port = 0,
    host = '127.0.0.1',
    scenarios = builtInScenarios,
    speed = 1,
    logFile,
    now = Date.now,
    tokensOf,
  } = options;
  const log = new RequestLog(logFile);
  const faults = new FaultPlan();
  const count = new TokenCount(tokensOf);
  const limits = limitsOf(scenarios);
  const app = createApp(
    {
      scenarios,
      cache: new PromptCache(now, count),
      count,
      faults,
      limits: new RateLimits(now, limits),
      window: limits.window,
      speed,
    },
    log,
  );
  const url = await app.listen({ port, host });
  return {
    url,
    port: Number(new URL(url).port),
    requests: () => log.list(),
    injectFaults: (queued) => faults.add(queued),
    clearFaults: () => faults.clear(),
    close: () => app.close(),
  };
}

/** They hold for the whole simulator. Where several scenarios have one, that of the first counts. */
function limitsOf(scenarios: readonly Scenario[]): ScenarioLimits {
  return Object.assign({}, ...scenarios.toReversed().map(({ limits }) => limits)) as ScenarioLimits;
}
