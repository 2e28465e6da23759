import { expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { TaskState, TERMINAL_STATES, WaitReason } from '@bullpen/contracts';
import { LEGAL_MOVES } from '@bullpen/core';
import { $Enums } from '../generated/client.js';
import { webhookTypeOf } from '../webhooks/payload.js';
import { prepared, STEP_STATEMENTS } from './sql.js';

const source = new URL('../', import.meta.url);
const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((name) => /(?<!\.spec)\.(?:sql|ts)$/.test(name) && !name.startsWith('generated'))
  .map((name) => ({ name, text: readFileSync(new URL(name, source), 'utf8') }));

/** All matches in SQL, in files of their own and within the code. */
const found = (pattern: RegExp) =>
  files.flatMap(({ name, text }) =>
    [...text.matchAll(pattern)].map(([whole, ...groups]) => ({ place: `${name}: ${whole}`, groups })),
  );

const isState = (text: string): text is TaskState => TaskState.options.includes(text as TaskState);
const leadingTo = (state: TaskState) =>
  TaskState.options.filter((from) => from !== 'running' && LEGAL_MOVES[from].includes(state));

it('the database knows the states and wait reasons of the contracts, and no others', () => {
  expect(Object.keys($Enums.TaskState)).toEqual(TaskState.options);
  expect(Object.keys($Enums.WaitReason).sort()).toEqual([...WaitReason.options].sort());
});

it('SQL tells only of moves that the core allows', () => {
  const moves = found(/'?"?from"?'?[,:]\s*['"](\w+)['"], ?'?"?to"?'?[,:]\s*['"](\w+)['"]/g).filter(
    ({ groups: [from = ''] }) => isState(from),
  );
  expect(moves.length).toBeGreaterThan(10);
  const illegal = moves.filter(
    ({ groups: [from, to] }) => !LEGAL_MOVES[from as TaskState].includes(to as TaskState),
  );
  expect(illegal.map(({ place }) => place)).toEqual([]);
});

it('lists of states in SQL are those that follow from the tables of contracts and core', () => {
  const told = TaskState.options.filter((to) =>
    webhookTypeOf({ type: 'task.status_changed', data: { to, reason: 'approval' } }),
  );
  const open = TaskState.options.filter((state) => LEGAL_MOVES[state].includes('cancelled'));
  const known: readonly (readonly TaskState[])[] = [
    TERMINAL_STATES,
    open,
    told,
    // What a cancel ends and a pause stops at once; what runs is only marked.
    leadingTo('cancelled'),
    leadingTo('paused'),
    // Where something of a task is under way, or keeps it from going on.
    open.filter((state) => state !== 'paused'),
    ['running', 'waiting'],
    ['running', 'queued'],
    ['waiting', 'queued'],
    ['waiting', 'paused'],
    ['failed', 'cancelled'],
  ];
  const same = (list: readonly string[]) => [...list].sort().join();
  const sets = new Set(known.map(same));
  const lists = found(/\bIN \(((?:'\w+'(?:, )?)+)\)/gi)
    .map(({ place, groups: [list = ''] }) => ({ place, states: list.match(/\w+/g) ?? [] }))
    .filter(({ states }) => states.length > 1 && states.every(isState));
  expect(lists.length).toBeGreaterThan(20);
  expect(lists.filter(({ states }) => !sets.has(same(states))).map(({ place }) => place)).toEqual([]);
});

it('a task is born in one place', () => {
  expect(found(/INSERT INTO tasks\b/gi).map(({ place }) => place)).toEqual([
    // What is imported has ended already.
    'tasks/import.ts: INSERT INTO tasks',
    'steps/parts/birth.sql: INSERT INTO tasks',
  ]);
});

it('every file of a statement is one, with its parts in their places', () => {
  const texts = STEP_STATEMENTS.map((name) => prepared(name, []).text ?? '');
  expect(texts.filter((text) => text.includes('[part'))).toEqual([]);
  const named = files.flatMap(({ name }) => /^steps\/([\w-]+)\.sql$/.exec(name)?.[1] ?? []);
  expect(named.filter((name) => !(STEP_STATEMENTS as readonly string[]).includes(name))).toEqual([]);
});
