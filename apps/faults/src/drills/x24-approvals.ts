import type { CreateTaskInput } from '@bullpen/contracts';
import type { DrillContext } from '../drill.js';
import type { Treatment } from '../stack/asking.js';
import { ended, storm } from '../stack/chaos.js';
import { consentBooks, waitingHolders } from '../stack/consent-rows.js';
import { wrongConsents } from '../stack/consents.js';
import { defineDrill } from '../stack/define-drill.js';
import { People } from '../stack/people.js';
import type { Plan, Step } from '../stack/plan.js';
import type { Stack } from '../stack/stack.js';
import { mixed, scaled } from '../stack/workload.js';

const WORKERS = 2;
const SLOTS = 3;
/** Only the commands are asked about; what they do lies outside of what a policy lets through unasked. */
const ASKING: CreateTaskInput = {
  autonomy: 'agent',
  approvals: { alwaysAllowReadOnly: true, alwaysAllowWrite: true, alwaysAllowSubtasks: true },
};
/** How long everything may take to end when all is healed. */
const SETTLE_MS = 120_000;

type Asking = Plan & { readonly task: CreateTaskInput };

export const approvals = defineDrill({
  id: 'X24',
  title:
    'people approve, change, refuse and race while workers and gateway are killed: each word counts once',
  forms: ['default', 'full'],
  backends: ['postgres', 'redis'],
  seconds: 150,
  stack: { workers: WORKERS, slots: SLOTS },
  expect: {
    end: ({ plan }) => (plan.key.startsWith('cancel') ? ['completed', 'cancelled'] : ['completed']),
  },
  act: async (stack, context) => {
    const plans = asking(scaled(3, context.scale, 1));
    // A key whose request died with the gateway is free again after a minute. Elsewhere people come with another one before.
    const people = new People(stack, plans, context.random, context.scale > 1 ? 75_000 : 3_000);
    await submitAll(stack, plans);
    const found = await everybodyWaits(stack, context, plans.length);
    const over = new AbortController();
    const answers = people.attend(over.signal);
    const end = Promise.race([
      ended(stack, 1, AbortSignal.timeout(Math.round(SETTLE_MS * Math.max(1, context.scale)))),
      answers,
    ]);
    await storm(stack, context, 15 * context.scale, [200, 1_500], () => strike(stack, context), end);
    await stack.heal();
    await end;
    over.abort();
    await answers;
    const { given, repeats } = people.answerer;
    const refused = given.filter(({ fate }) => fate === 'refused').length;
    context.log(`${given.length} answers, ${refused} refused, ${repeats} sent again`);
    const books = await consentBooks(stack.database.pool);
    const left = await Promise.all(stack.submitter.accepted.map(({ id }) => people.inbox(id)));
    return [
      ...found,
      ...wrongConsents({ books, effects: stack.effects(), given }),
      ...left.flat().map(({ id, rootId }) => `${id} is still in the inbox of ${rootId}`),
    ];
  },
});

async function submitAll(stack: Stack, plans: readonly Asking[]): Promise<void> {
  await Promise.all(plans.map(({ task, ...plan }) => stack.submitter.submit(plan, { ...ASKING, ...task })));
}

/** While nobody answers: the tasks come to wait over the loss of their workers, and the slots are there for others. */
async function everybodyWaits(stack: Stack, context: DrillContext, count: number): Promise<string[]> {
  const { pool } = stack.database;
  const open = async (): Promise<number> => {
    const { rows } = await pool.query<{ open: number }>(
      `SELECT count(*)::int AS open FROM tasks WHERE state IN ('queued', 'running')`,
    );
    return rows[0]?.open ?? 0;
  };
  const quiet = until(stack, async () => (await open()) === 0);
  await storm(stack, context, 8 * context.scale, [700, 2_500], () => stack.strike(), quiet);
  await quiet;
  const held = await waitingHolders(pool);
  await stack.submitter.submitAll(mixed(scaled(4, context.scale, 2), 'by'));
  await until(stack, async () => (await open()) === 0);
  const { rows } = await pool.query<{ waiting: number }>(
    `SELECT count(*)::int AS waiting FROM tasks WHERE state = 'waiting'`,
  );
  const waiting = rows[0]?.waiting ?? 0;
  context.log(`${waiting} of ${count} wait beside ${WORKERS * SLOTS} slots, and others have run meanwhile`);
  // All at once: nothing of a waiting task is anywhere but in the record.
  await Promise.all([stack.gateway, ...stack.workers].map((app) => app.replace()));
  return [...held, ...(waiting > WORKERS * SLOTS ? [] : [`only ${waiting} tasks wait: that proves nothing`])];
}

async function strike(stack: Stack, { random }: DrillContext): Promise<void> {
  if (random() < 0.4) await stack.gateway.replace();
  else stack.strike();
}

/** `times` of each kind. */
function asking(times: number): readonly Asking[] {
  return Array.from({ length: times }, (_, at) => kinds(at)).flat();
}

function kinds(at: number): readonly Asking[] {
  const one = (name: string, steps: readonly Step[], task: CreateTaskInput = {}): Asking => ({
    key: `${name}${at}`,
    steps,
    task,
  });
  const soon = (onExpiry: 'deny' | 'approve') => ({ asks: { expiresAfterMs: 4_000, onExpiry } });
  const child = (name: string, ...steps: Step[]): Plan => ({ key: `tree${at}.${name}`, steps });
  return [
    one('plain', [gated('approve'), gated('edit'), gated('deny')]),
    one('many', [gated('approve', 'deny', 'edit', 'race')]),
    one('race', [gated('race'), gated('race'), ask('race')]),
    one('again', [gated('repeat'), gated('hang_up'), ask('hang_up'), gated('hang_up')]),
    one('stale', [gated('stale'), ask('stale')]),
    one('question', [ask('approve'), gated('approve'), ask('deny')]),
    one('late', [gated('late'), ask('late')], soon('deny')),
    one('lapse', [gated('late')], soon('approve')),
    one('cancel', [gated('cancel'), gated('approve')]),
    one('turn', [{ do: 'gated', people: ['turn'], cwd: 'spot' }]),
    one('plan', [present('deny'), present('edit'), gated('approve', 'deny')], { autonomy: 'plan' }),
    one('plans', [present('race'), present('approve'), gated('hang_up')], { autonomy: 'plan' }),
    one('tree', [
      gated('approve'),
      { do: 'subtasks', plans: [child('a', gated('edit')), child('b', ask('approve'), gated('race'))] },
      gated('deny'),
    ]),
  ];
}

function gated(...people: readonly Treatment[]): Step {
  return { do: 'gated', people };
}

function ask(treatment: Treatment): Step {
  return { do: 'ask', people: [treatment] };
}

function present(treatment: Treatment): Step {
  return { do: 'present', people: [treatment] };
}

async function until(stack: Stack, is: () => Promise<boolean>): Promise<void> {
  while (!(await is())) await stack.pause(200);
}
