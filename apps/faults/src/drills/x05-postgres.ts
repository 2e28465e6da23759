import { storm } from '../stack/chaos.js';
import { defineDrill } from '../stack/define-drill.js';
import { mixed, scaled } from '../stack/workload.js';

export const postgresCrashes = defineDrill({
  id: 'X5a',
  title: 'Postgres stops at once and comes back, several times',
  forms: ['short', 'default', 'full'],
  backends: ['postgres', 'redis'],
  seconds: 90,
  stack: { durable: true },
  // Answers that came while the database was away are lost with their runs: any of the slots, each time.
  expect: { uncertain: 3 * 18 },
  act: async (stack, context) => {
    await stack.submitter.submitAll(mixed(scaled(40, context.scale)));
    // Its owner gives up after five crashes in a minute.
    let left = 3;
    await storm(stack, context, 15 * context.scale, [2_000, 5_000], async () => {
      if (left > 0) await stack.database.crash();
      left -= 1;
    });
    context.log(`Postgres crashed ${3 - Math.max(0, left)} times`);
  },
});

export const backendsTerminated = defineDrill({
  id: 'X5b',
  title: 'connections to Postgres are ended by chance',
  forms: ['default', 'full'],
  backends: ['postgres'],
  seconds: 60,
  expect: { uncertain: 200 },
  act: async (stack, context) => {
    await stack.submitter.submitAll(mixed(scaled(40, context.scale)));
    let ended = 0;
    await storm(stack, context, 15 * context.scale, [100, 600], async () => {
      ended += await stack.database.terminateBackends(0.15);
    });
    context.log(`${ended} connections were ended`);
  },
});

export const postgresAway = defineDrill({
  id: 'X5c',
  title: 'Postgres is away: the gateway answers 503 and promises nothing',
  forms: ['default', 'full'],
  backends: ['postgres', 'redis'],
  seconds: 90,
  stack: { durable: true },
  expect: { uncertain: 18 },
  act: async (stack, context) => {
    await stack.submitter.submitAll(mixed(scaled(20, context.scale)));
    const { answers } = stack.submitter;
    const away = stack.database.down(10_000 * Math.min(1, context.scale), context.signal);
    const before = new Map(answers);
    const late = stack.submitter.submitAll(mixed(8, 'late'), 8);
    await Promise.all([away, late]);
    const odd = [...answers].filter(
      ([status, count]) => ![201, 409, 503].includes(status) && count > (before.get(status) ?? 0),
    );
    context.log(`answers: ${[...answers].map(([status, count]) => `${count} x ${status}`).join(', ')}`);
    return [
      ...odd.map(([status, count]) => `${count} submissions were answered with ${status}`),
      ...((answers.get(503) ?? 0) > 0 ? [] : ['no submission was answered with 503']),
    ];
  },
});
