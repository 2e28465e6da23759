/** Bugs around people: what their word is taken for. The drill with people who answer must notice each. */
import type { Mutant } from './mutant.js';

const people = (mutant: Omit<Mutant, 'judge'>): Mutant => ({ ...mutant, judge: 'people' });

export const peopleMutants: readonly Mutant[] = [
  people({
    id: 'P1',
    title: 'an approval is taken for whatever its call would do by now',
    file: 'libs/core/dist/turn/review.js',
    find: 'const asked = own.find((item) => item.hash === hash);',
    replace: 'const asked = own.at(-1);',
  }),
  people({
    id: 'P2',
    title: 'the second of two answers is accepted, too',
    file: 'apps/gateway/dist/interactions/interactions.service.js',
    find: "if (result.kind !== 'answered')\n            throw refusal(result, view);",
    replace: '',
  }),
  people({
    id: 'P3',
    title: 'a call that was refused runs',
    file: 'libs/core/dist/turn/review.js',
    find: "if (answer.decision === 'deny')",
    replace: 'if (false)',
  }),
  people({
    id: 'P4',
    title: 'a call runs as it was asked, although the approver had changed it',
    file: 'libs/core/dist/turn/review.js',
    find: 'bound: final.bound,',
    replace: 'bound: proposal.bound,',
  }),
];
