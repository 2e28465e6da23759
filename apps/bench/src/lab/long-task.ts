/**
 * A task that outgrows its window: an agent follows a chain of files, each of which names the next one. In its first turns it comes upon facts that stand nowhere else,
 * and at the end the task fails unless they are in the agent's request.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { recordOf, type AgentScript, type AgentTurn, type Reply, type Scenario } from '@bullpen/model-sim';
import { submitter } from './http-load.js';
import type { Lab } from './lab.js';
import { startStack, type Stack } from './stack.js';
import { until } from './until.js';

const LONGEST_MS = 900_000;

export interface LongTask {
  readonly turns: number;
  /** Tokens; a tenth of them, at most 2,000, is for an answer. */
  readonly window: number;
  /** The worker that asks for this summary, counted from 1, is killed while it waits for it. */
  readonly killAtSummary: number | null;
}

/** What the books say at the end, and how often the model was asked to sum up. */
export interface LongTaskEnd {
  readonly state: string;
  readonly failure: string | null;
  readonly output: string | null;
  readonly costUsd: number;
  readonly condensed: number;
  readonly masked: number;
  readonly truncated: number;
  readonly refusedAsTooLong: number;
  /** The largest prompt that was sent, in tokens. */
  readonly largestPrompt: number;
  readonly readTwice: number;
  readonly summariesAsked: number;
}

/** Plays one such task on a gateway and two workers of its own. Throws when it comes to no end. */
export async function playLongTask(lab: Lab, task: LongTask): Promise<LongTaskEnd> {
  const folder = join(lab.folder, `chain-${task.turns}`);
  await writeChain(folder, task.turns);
  const summaries = new Summaries(task.killAtSummary);
  const scenario: Scenario = {
    ...{ name: 'long-task', agents: {}, limits: { window: task.window } },
    ...{ default: readOn, record: summaries.script },
  };
  const stack = await startStack(lab, {
    ...{ backend: 'postgres', workers: 2, scenario },
    settings: { LEASE_MS: '2000', RENEW_MS: '500' },
    extensions: { 'models.yaml': profileOf(task.window), 'agents/reader.md': READER },
  });
  const client = submitter(stack.url, stack.key, 1);
  try {
    const workspace = { kind: 'path', path: folder };
    const limits = { turns: task.turns + 10, tokens: 1_000_000_000, costUsd: '1000', activeMs: LONGEST_MS };
    const id = await client.submit({ agent: 'reader', profile: 'long', prompt: PROMPT, workspace, limits });
    if (task.killAtSummary !== null) await killDuringSummary(stack, id, summaries);
    const end = await until('the task to end', LONGEST_MS, () => endOf(stack, id));
    return { ...end, summariesAsked: summaries.asked };
  } finally {
    client.close();
    await stack.stop();
  }
}

const CUSTOMER = 'Ottilie Ferngruber';
const PROMPT = `Follow the files from f0.txt on to the last one. Fact: the customer is called ${CUSTOMER}.`;
/** Each stands in one of the first files, and nowhere else. */
const FACTS = ['Fact: the vault opens with 4711-ZEBRA.', 'Fact: 배는 17번 부두에서 떠난다.'];

const READER = `---
name: reader
description: Follows a chain of files.
tools:
  - read_file
  - read_tool_output
---

You read files one after the other, each named by the one before.
`;

function profileOf(window: number): string {
  return [
    'long:',
    '  model: claude-sonnet-5-5',
    `  contextWindow: ${window}`,
    `  maxOutputTokens: ${Math.min(2_000, window / 10)}`,
  ].join('\n');
}

async function writeChain(folder: string, turns: number): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (let at = 0; at < turns; at += 1) {
    const noise = Array.from(
      { length: 30 },
      (_, line) => `Line ${line} says ${(at * 7_919 + line * 104_729) % 1_000_003}.`,
    );
    const next = at + 1 < turns ? `Next: f${at + 1}.txt` : LAST;
    await writeFile(join(folder, `f${at}.txt`), [...noise, FACTS[at] ?? '', next].join('\n'));
  }
}

const LAST = 'This is the last file.';

/** Knows nothing but its request: where it is stands in the newest result. */
function readOn(turn: AgentTurn): Reply {
  const seen = turn.lastToolResults[0]?.text ?? 'Next: f0.txt';
  if (seen.includes(LAST)) return report(turn);
  const path = /Next: (f\d+\.txt)/.exec(seen)?.[1];
  if (path === undefined) throw new Error(`the newest result names no next file: ${seen.slice(0, 200)}`);
  const fact = /Fact: .*/.exec(seen)?.[0] ?? 'Nothing of note here.';
  return { text: fact, toolCalls: [{ name: 'read_file', input: { path } }] };
}

function report({ messages }: AgentTurn): Reply {
  const known = JSON.stringify(messages);
  const forgotten = [CUSTOMER, ...FACTS].filter((fact) => !known.includes(fact));
  if (forgotten.length > 0) throw new Error(`forgotten: ${forgotten.join(' ')}`);
  return { text: `Read to the end. ${CUSTOMER}. ${FACTS.join(' ')}` };
}

/** Answers the requests to sum up, and holds the one back during which a worker is to die. */
class Summaries {
  asked = 0;

  constructor(private readonly held: number | null) {}

  readonly script: AgentScript = (turn) => {
    this.asked += 1;
    const record = recordOf(turn);
    return this.isHeld ? { ...record, fault: { kind: 'slow_first_byte', ms: LONGEST_MS } } : record;
  };

  get isHeld(): boolean {
    return this.asked === this.held;
  }
}

async function killDuringSummary(stack: Stack, id: string, summaries: Summaries): Promise<void> {
  await until('the summary', LONGEST_MS, async () => {
    if ((await endOf(stack, id)) !== null) throw new Error('the task has ended without that summary');
    return summaries.isHeld || null;
  });
  const { rows } = await stack.database.pool.query<{ pid: number }>(
    'SELECT w.pid FROM tasks t JOIN workers w ON w.id = t.worker_id WHERE t.id = $1',
    [id],
  );
  const worker = stack.workers.find(({ pid }) => pid === rows[0]?.pid);
  if (worker === undefined) throw new Error('nobody has the task');
  await worker.kill();
}

async function endOf({ database }: Stack, id: string): Promise<Omit<LongTaskEnd, 'summariesAsked'> | null> {
  const { rows } = await database.pool.query<Omit<LongTaskEnd, 'summariesAsked'>>(
    `SELECT state::text, failure ->> 'message' AS failure, output #>> '{}' AS output, cost_nano_usd::float8 / 1e9 AS "costUsd",
       (SELECT count(*)::int FROM ui_events WHERE task_id = t.id AND type = 'context.condensed') AS condensed,
       (SELECT count(*)::int FROM ui_events WHERE task_id = t.id AND type = 'context.masked') AS masked,
       (SELECT count(*)::int FROM ui_events WHERE task_id = t.id AND type = 'context.truncated') AS truncated,
       (SELECT count(*)::int FROM model_calls WHERE task_id = t.id AND error_class = 'context') AS "refusedAsTooLong",
       (SELECT max(input_tokens + cache_read_tokens + cache_write_5m_tokens + cache_write_1h_tokens)::int
          FROM usage_records WHERE task_id = t.id AND NOT estimated) AS "largestPrompt",
       (SELECT count(*)::int - count(DISTINCT arguments ->> 'path')::int FROM tool_calls WHERE task_id = t.id AND tool = 'read_file') AS "readTwice"
     FROM tasks t WHERE id = $1 AND ended_at IS NOT NULL`,
    [id],
  );
  return rows[0] ?? null;
}
