/* global document, requestAnimationFrame -- what stands in functions that run in the page */
/** A list of a hundred thousand tasks: how long a page of it takes, with and without filters. */
import { signedIn } from '../session.mjs';

const TASKS = 100_000;
const PAGES = 9;
const MOST_MS = 300;

/** Lists as people filter them; a tag that is on nothing is what makes a list look at everything. */
const LISTS = [
  'state=failed',
  'state=running,queued',
  'agent=general',
  'tag=nowhere',
  'q=number',
  'archived=only',
];

export async function pageManyTasks(given) {
  const { stack } = given;
  const { id } = await stack.submit({ prompt: 'Say hello', title: 'The first of many' });
  await stack.becomes(id, 'completed');
  await stack.sql((client) => writeTasks(client, id));
  const { context, page } = await signedIn(given, '/tasks');
  await page.locator('.tasks tbody tr').nth(20).waitFor();
  const times = [];
  for (let at = 0; at < PAGES; at += 1) times.push(await nextPage(page));
  // The list is longest at the end; and what else this machine does is none of what is measured.
  const listMs = Math.min(...times.slice(-3).map(({ ms }) => ms));
  const filterMs = {};
  for (const list of LISTS)
    filterMs[list] = await timed(() => stack.call(`/v1/tasks?limit=50&trees=true&${list}`));
  filterMs.system = await timed(() => stack.call('/v1/system'));
  await context.close();
  const slowest = Math.max(...Object.values(filterMs));
  return { ok: listMs < MOST_MS && slowest < MOST_MS, listMs, times, filterMs };
}

/**
 * From the look at the end of the list, which asks for more by itself, until the answer is there and its rows are in the list; by the clock of
 * the page. Without the rows, the end of the next look would still be the old one.
 */
async function nextPage(page) {
  const button = page.getByRole('button', { name: 'Older tasks' });
  return button.evaluate(async (element) => {
    performance.clearResourceTimings();
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const answered = () =>
      performance.getEntriesByType('resource').some(({ name }) => /tasks\?.*after=/.test(name));
    const list = document.querySelector('.tasks-body');
    const before = list.scrollHeight;
    const isLonger = () => list.scrollHeight > before + 1_000;
    const began = performance.now();
    element.scrollIntoView();
    element.click();
    while (!answered() || !isLonger()) {
      if (performance.now() - began > 20_000)
        throw new Error(`No older tasks came: answered ${answered()}, ${before} to ${list.scrollHeight} px`);
      await frame();
    }
    await frame();
    const asked = performance.getEntriesByType('resource').find(({ name }) => /tasks\?.*after=/.test(name));
    return { ms: Math.round(performance.now() - began), answerMs: Math.round(asked.duration) };
  });
}

async function timed(ask) {
  const times = [];
  for (let at = 0; at < 3; at += 1) {
    const began = performance.now();
    await ask();
    times.push(Math.round(performance.now() - began));
  }
  return median(times);
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** Copies of a task, each a second older than the one before; every twentieth has failed. */
async function writeTasks(client, id) {
  const own = {
    id: `'task_01' || lpad(n::text, 24, '0')`,
    root_id: `'task_01' || lpad(n::text, 24, '0')`,
    title: `'Task number ' || n`,
    created_at: `created_at - n * interval '1 second'`,
    updated_at: `updated_at - n * interval '1 second'`,
    state: `(case when n % 20 = 0 then 'failed' else 'completed' end)::task_state`,
  };
  const { rows } = await client.query(
    `SELECT column_name AS name FROM information_schema.columns WHERE table_name = 'tasks' AND is_generated = 'NEVER'`,
  );
  const names = rows.map(({ name }) => name);
  const values = names.map((name) => own[name] ?? name);
  await client.query(
    `INSERT INTO tasks (${names.join()}) SELECT ${values.join()} FROM tasks, generate_series(1, ${TASKS}) n WHERE id = $1`,
    [id],
  );
  await client.query('VACUUM ANALYZE tasks');
}
