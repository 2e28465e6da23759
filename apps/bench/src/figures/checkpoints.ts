/** What checkpoints cost a task that changes one file in each of its turns. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Scenario } from '@bullpen/model-sim';
import { submitter } from '../lab/http-load.js';
import type { Lab } from '../lab/lab.js';
import { startStack } from '../lab/stack.js';
import { until } from '../lab/until.js';
import { measure, type Measure } from '../report/measure.js';

const figure = 'checkpoints';
const TURNS = 20;
const IN_ONE_FOLDER = 100;
const LONGEST_MS = 300_000;

/** The same task with checkpoints and without, one after the other: what it takes longer is their share. */
export async function measureCheckpoints(lab: Lab): Promise<Measure[]> {
  const files = lab.quick ? 500 : 5_000;
  const folder = await folderOf(lab, files);
  lab.say(`checkpoints: ${TURNS} turns among ${files} files, twice`);
  const without = await seconds(lab, folder, { CHECKPOINTS: 'off' });
  const taken = await seconds(lab, folder, {});
  return [
    measure({
      figure,
      what: `their share of a task of ${TURNS} turns, one file changed in each`,
      value: Math.max(0, ((taken - without) / taken) * 100),
      unit: '%',
      goal: { of: 'value', atMost: 10 },
      note: `${taken.toFixed(1)} s with them, ${without.toFixed(1)} s without, in a copy of a folder of ${files} files; the model answers at the usual pace.`,
    }),
  ];
}

async function folderOf(lab: Lab, files: number): Promise<string> {
  const folder = join(lab.folder, 'many-files');
  for (let at = 0; at < files; at += 1) {
    const below = join(folder, `d${Math.floor(at / IN_ONE_FOLDER)}`);
    if (at % IN_ONE_FOLDER === 0) await mkdir(below, { recursive: true });
    await writeFile(join(below, `f${at}.ts`), `export const n${at} = ${at};\n`.repeat(20));
  }
  return folder;
}

const scenario: Scenario = {
  name: figure,
  agents: {},
  default: ({ turnIndex }) =>
    turnIndex >= TURNS
      ? { text: 'Done.' }
      : {
          text: 'The next one.',
          toolCalls: [
            { name: 'write_file', input: { path: 'changed.ts', content: `// turn ${turnIndex}\n` } },
          ],
        },
};

/** From the start of the task to its end. */
async function seconds(
  lab: Lab,
  folder: string,
  settings: Readonly<Record<string, string>>,
): Promise<number> {
  const stack = await startStack(lab, { backend: 'postgres', workers: 1, settings, scenario, speed: 1 });
  const client = submitter(stack.url, stack.key, 1);
  try {
    const id = await client.submit({
      agent: 'general',
      prompt: 'Go.',
      workspace: { kind: 'path', path: folder },
      approvals: { alwaysAllowWrite: true },
    });
    const query = `SELECT state, extract(epoch FROM ended_at - started_at)::float8 AS seconds FROM tasks WHERE id = $1 AND ended_at IS NOT NULL`;
    const ended = await until('the task to end', LONGEST_MS, async () => {
      const { rows } = await stack.database.pool.query<{ state: string; seconds: number }>(query, [id]);
      return rows[0] ?? null;
    });
    if (ended.state !== 'completed') throw new Error(`the task is ${ended.state}`);
    return ended.seconds;
  } finally {
    client.close();
    await stack.stop();
  }
}
