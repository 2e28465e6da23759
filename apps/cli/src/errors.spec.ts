import { ApiError, UnexpectedAnswer, Unreachable } from '@bullpen/client';
import { AppError, ErrorCode, TaskState, type Problem } from '@bullpen/contracts';
import { describe, expect, it } from '@jest/globals';
import pc from 'picocolors';
import { CliError, errorDocument, exitCodeOf, Interrupted, renderError } from './errors.js';
import { EXIT, exitCodeOfError, exitCodeOfOutcome } from './exit-codes.js';

const colors = pc.createColors(false);
const problem = (fields: Partial<Problem>): Error =>
  new ApiError({
    type: 'about:blank',
    title: 'Refused',
    status: 400,
    detail: 'The body is wrong',
    code: 'invalid_request',
    traceId: 't1',
    ...fields,
  });

describe('exit codes', () => {
  it('tell how a task ended', () => {
    expect(exitCodeOfOutcome('completed', 'goal')).toBe(0);
    expect(exitCodeOfOutcome('failed', 'error')).toBe(3);
    expect(exitCodeOfOutcome('cancelled', 'cancelled')).toBe(3);
    expect(exitCodeOfOutcome('waiting', null)).toBe(4);
    for (const cause of ['turn_limit', 'time_limit', 'token_limit', 'cost_limit'] as const)
      for (const state of TaskState.options) expect(exitCodeOfOutcome(state, cause)).toBe(8);
  });

  it('tell what kind of error it was', () => {
    expect(exitCodeOf(new CliError(EXIT.usage, 'x'))).toBe(2);
    expect(exitCodeOf(new Interrupted())).toBe(130);
    expect(exitCodeOf(new AppError('already_running', 'x'))).toBe(7);
    expect(exitCodeOf(new AppError('port_in_use', 'x'))).toBe(1);
    expect(exitCodeOf(new Error('x'))).toBe(1);
    expect(exitCodeOf('x')).toBe(1);
    expect(exitCodeOf(new Unreachable('http://x', new Error('no')))).toBe(9);
    expect(exitCodeOf(new UnexpectedAnswer('http://x', 'odd'))).toBe(9);
    const expected = {
      not_found: 5,
      unauthorized: 6,
      forbidden: 6,
      task_finished: 7,
      too_many_streams: 8,
      not_ready: 9,
      invalid_input: 2,
    };
    for (const [code, exit] of Object.entries(expected))
      expect(exitCodeOf(problem({ code: ErrorCode.parse(code) }))).toBe(exit);
    expect(exitCodeOf(problem({ code: 'internal_error', status: 503 }))).toBe(9);
  });

  it('exist for every error code', () => {
    for (const code of ErrorCode.options) expect(Object.values(EXIT)).toContain(exitCodeOfError(code));
  });
});

describe('an error', () => {
  it('shows detail, fields and next actions, and nothing that could steer the terminal', () => {
    const text = renderError(
      problem({
        detail: 'Wrong\u001b[2J body',
        errors: [
          { pointer: '/limits/turns', detail: 'must be at least 1' },
          { pointer: '', detail: 'is empty' },
        ],
        nextActions: [
          { action: 'task.retry', taskId: 'task_1\u001b[2J', mode: 'new', text: 'Start the task over.' },
        ],
      }),
      colors,
    );
    expect(text).toBe(
      'error: Wrong body\n  /limits/turns: must be at least 1\n  (body): is empty\nnext: start the task over: bullpen retry task_1 --new',
    );
  });

  it('is a document for machines', () => {
    expect(errorDocument(problem({ errors: [{ pointer: '/a', detail: 'b' }] }))).toEqual({
      error: {
        code: 'invalid_request',
        message: 'The body is wrong',
        exitCode: 2,
        errors: [{ pointer: '/a', detail: 'b' }],
        status: 400,
        traceId: 't1',
        nextActions: [],
      },
    });
    expect(errorDocument(new AppError('port_in_use', 'taken'))).toMatchObject({
      error: { code: 'port_in_use', exitCode: 1 },
    });
  });
});
