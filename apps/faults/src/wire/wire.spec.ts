/** A few of the wire cases of each kind; `npm run test:wire` plays them all. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { assertNoProcessLeft } from '@bullpen/testing';
import { removeTemplate } from '../stack/database.js';
import { cases } from './cases/index.js';
import { chosen } from './options.js';
import { runCases, type CaseResult } from './run-cases.js';
import { WireStack } from './wire-stack.js';

const SOME = [
  'end-length',
  'ends-for-ever-null',
  'call-with-end-content-filter',
  'think-only',
  'no-stop-call',
  'id-null',
  'name-empty',
  'start-input',
  'arguments-unclosed-emoji',
  'value-lone-high',
  'usage-fractional',
  'usage-negative',
  'usage-missing',
  'frame-torn-7',
  'body-html',
  'event-text-null',
  'one-index-two-calls',
  'signature-refused',
  'error-in-text-null',
  'extract-cut',
  'http-length-too-long',
  'status-403-html',
  'status-400-again',
  'blank',
];

let stack: WireStack;

beforeAll(async () => {
  stack = await WireStack.start(new AbortController().signal);
}, 60_000);
afterAll(async () => {
  await stack.stop();
  await removeTemplate();
  await assertNoProcessLeft();
});

it('what a provider should not send is neither lost, nor paid twice, nor taken for a success', async () => {
  const results: CaseResult[] = [];
  await runCases(stack, chosen(cases, SOME), (result) => results.push(result));
  expect(results.filter(({ found }) => found.length > 0)).toEqual([]);
  expect(results.map(({ name }) => name)).toHaveLength(SOME.length + 1);
}, 60_000);
