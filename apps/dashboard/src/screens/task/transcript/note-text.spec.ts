import { describe, expect, it } from '@jest/globals';
import type { TaskEvent } from '@bullpen/contracts';
import { enRest } from '../../../i18n/en-rest.js';
import { fill } from '../../../i18n/fill.js';
import type { Translate } from '../../../i18n/texts.js';
import { noteOf } from './note-text.js';

const t: Translate = (key, values) => fill(enRest[key as keyof typeof enRest], values);
const told = (type: string, data: object) =>
  noteOf({ type, data, seq: 7, taskId: 'task_1', rootId: 'task_1' } as unknown as TaskEvent, t);

const SIZES = { tokensBefore: 52_000, tokensAfter: 9_000 };

describe('notes of the transcript', () => {
  it('say that a conversation was condensed, at what cost, and keep the summary apart from the line', () => {
    const condensed = { messageId: 'm', modelCallId: 'c', messages: 12, costUsd: '0.03', text: 'We agreed.' };
    expect(told('context.condensed', { ...condensed, ...SIZES })).toMatchObject({
      text: '12 older messages summed up for $0.0300 (52.0k → 9.0k tokens)',
      shortened: { summary: 'We agreed.' },
    });
    expect(told('context.masked', { messageId: 'm', outputs: 3, ...SIZES })).toMatchObject({
      text: '3 older outputs left out of what the model is sent (52.0k → 9.0k tokens)',
      shortened: { summary: null },
    });
  });

  it('tell a change of mode with its trigger and reason, and a refusal with why', () => {
    expect(
      told('mode.changed', { from: 'test', to: 'qa', trigger: 'tests_passed', reason: 'all green' }),
    ).toEqual({ text: 'Mode: test → qa (tests_passed)', said: 'all green', tone: 'plain' });
    expect(told('mode.refused', { mode: 'qa', trigger: 'x', refusal: 'qa has no trigger x.' })).toEqual({
      ...{ text: 'Stays in qa: x was refused', said: 'qa has no trigger x.', tone: 'warn' },
    });
  });
});
