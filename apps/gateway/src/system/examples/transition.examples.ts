/** Examples: the work modes of a task. */
import type { FireTrigger, TransitionsView } from '@bullpen/contracts';
import { at, TASK_ID, type OperationExample } from './example.js';

const refused: TransitionsView['history'][number] = {
  ...{ seq: 2, at: at('09:00:31'), from: 'context_navigation', trigger: 'code_complete', to: null },
  ...{ source: 'agent', by: null, reason: 'the function is found', outcome: 'refused' },
  refusal: 'context_navigation has no trigger code_complete.',
  possible: ['target_found', 'bug_located', 'architecture_needed', 'impact_needed', 'answered', 'abandoned'],
};

const transitions: TransitionsView = {
  taskId: TASK_ID,
  workflow: 'fsm',
  mode: 'test',
  possible: [
    {
      trigger: 'test_failed',
      to: 'implementation',
      priority: 10,
      when: null,
      means: 'tests fail, and what has to change is plain',
    },
    {
      trigger: 'abandoned',
      to: 'idle',
      priority: 1,
      when: null,
      means: 'the aim of this mode is given up; the reason says why',
    },
  ],
  impossible: [
    {
      trigger: 'tests_passed',
      to: 'qa',
      why: 'tests_passed needs tests that passed after the last change, which is not so.',
    },
  ],
  history: [
    {
      ...{ seq: 1, at: at('09:00:02'), from: 'idle', trigger: 'search_intent', to: 'context_navigation' },
      ...{
        source: 'intent',
        by: null,
        reason: 'it says “where is”',
        outcome: 'moved',
        refusal: null,
        possible: [],
      },
    },
    refused,
    {
      ...{
        seq: 3,
        at: at('09:00:40'),
        from: 'context_navigation',
        trigger: 'target_found',
        to: 'implementation',
      },
      ...{ source: 'agent', by: null, reason: 'the parser is in src/parse.ts', outcome: 'moved' },
      ...{ refusal: null, possible: [] },
    },
    {
      ...{ seq: 4, at: at('09:04:12'), from: 'implementation', trigger: 'code_complete', to: 'test' },
      ...{ source: 'person', by: 'local', reason: 'The rest is for another task.', outcome: 'moved' },
      ...{ refusal: null, possible: [] },
    },
  ],
};

export const transitionExamples = {
  getTransitions: { parameters: { id: TASK_ID }, answer: transitions },
  fireTrigger: {
    parameters: { id: TASK_ID },
    body: {
      trigger: 'code_complete',
      reason: 'The rest is for another task.',
      ifSeq: 3,
    } satisfies FireTrigger,
    answer: transitions,
  },
} satisfies Record<string, OperationExample>;
