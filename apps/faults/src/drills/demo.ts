import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { storm } from '../stack/chaos.js';
import { defineDrill } from '../stack/define-drill.js';

/** What the folder holds, known because it was made so. */
const FOLDERS = 40;
const FILES = 5;
const LINES = 40;
const LEAST_KILLS = 5;

export const demo = defineDrill({
  id: 'demo',
  title: 'the survey of a folder, with a random worker killed every 2 s, counts right',
  forms: ['default', 'full'],
  backends: ['postgres', 'redis'],
  seconds: 120,
  // So many folders for so few slots last longer than five kills, while the steps are so short that no task is hit in step after step.
  stack: { speed: 16, slots: 2 },
  expect: { result: () => '"incomplete":[]' },
  act: async (stack, context) => {
    const folder = join(stack.folder, 'surveyed');
    const bytes = await makeFolder(folder);
    const { id } = await stack.submitter.submit(
      { key: 'demo', steps: [] },
      {
        agent: 'survey-lead',
        prompt: 'Survey this folder.',
        workspace: { kind: 'path', path: folder, copy: true },
      },
    );
    // `strike` does not wait for the new worker: the next kill comes two seconds after this one.
    await storm(stack, context, 60, [2_000, 2_000], () => stack.strike());
    const { kills } = stack;
    await stack.heal();
    for (;;) {
      const { state, output } = await stack.submitter.client.tasks.get(id);
      if (state === 'completed') return [...tooFew(kills), ...differences(output, bytes)];
      if (state === 'failed' || state === 'cancelled') return []; // The judge says so.
      await stack.pause(500);
    }
  },
});

function tooFew(kills: number): string[] {
  return kills >= LEAST_KILLS
    ? []
    : [`only ${kills} kills landed: the survey was over too soon to prove anything`];
}

async function makeFolder(folder: string): Promise<number> {
  let bytes = 0;
  for (let at = 0; at < FOLDERS; at += 1) {
    await mkdir(join(folder, `part ${at}`), { recursive: true });
    for (let file = 0; file < FILES; file += 1) {
      const text = Array.from({ length: LINES }, (_, line) =>
        line === 7 ? `// TODO ${at}.${file}` : `line ${line}`,
      );
      const content = `${text.join('\n')}\n`;
      bytes += Buffer.byteLength(content);
      await writeFile(join(folder, `part ${at}`, `file ${file}.ts`), content);
    }
  }
  return bytes;
}

function differences(output: unknown, bytes: number): string[] {
  const { totals, todos } = output as { totals: unknown; todos: readonly unknown[] };
  const files = FOLDERS * FILES;
  const counted = JSON.stringify([totals, todos.length]);
  const made = JSON.stringify([{ files, lines: files * LINES, bytes }, files]);
  return counted === made ? [] : [`the survey counted ${counted}, and there is ${made}`];
}
