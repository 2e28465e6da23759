/** The folder that the check has surveyed: this repository as git sees it, copied, so that nobody changes it meanwhile. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { surveyIndependently } from '../../apps/cli/dist/e2e/independent-survey.js';
import { ROOT, run } from './engine.mjs';

/** The sample as a tar archive, and its numbers, counted here in another way than agents count. */
export async function takeSample() {
  const folder = mkdtempSync(join(tmpdir(), 'bullpen-sample-'));
  try {
    const { stdout } = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard']);
    for (const file of stdout.split('\0').filter((name) => name !== '' && isFile(join(ROOT, name)))) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      cpSync(join(ROOT, file), join(folder, file));
    }
    const archive = await tarOf(folder);
    return { archive, counted: surveyIndependently(folder) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Base64: a pipe of text can carry it. */
async function tarOf(folder) {
  const { stdout } = await run('sh', ['-c', 'tar -C "$0" -cz . | base64 -w0', folder]);
  return stdout;
}

function isFile(path) {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** What is wrong with a survey's result, by the independent count; empty when all is right. */
export function wrongNumbers(task, report, counted) {
  const problems = [];
  const check = (what, found, expected) => {
    if (JSON.stringify(found) !== JSON.stringify(expected))
      problems.push(
        `${what}: ${JSON.stringify(found)?.slice(0, 300)}, counted: ${JSON.stringify(expected).slice(0, 300)}`,
      );
  };
  const { totals, todos = [], largest = [], incomplete } = task.output ?? {};
  check('state', task.state, 'completed');
  check('totals', totals, { files: counted.files, lines: counted.lines, bytes: counted.bytes });
  check('findings', todos.map(({ file, line, kind }) => `${file}:${line}:${kind}`).sort(), counted.todos);
  check('largest file', largest[0]?.bytes, counted.largest);
  check('incomplete parts', incomplete, []);
  for (const number of [counted.files, counted.lines, counted.bytes])
    if (!report.includes(number.toLocaleString('en-US'))) problems.push(`the report does not say ${number}`);
  return problems;
}
