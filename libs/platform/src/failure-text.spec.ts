import { AppError } from '@bullpen/contracts';
import { describe, expect, it } from '@jest/globals';
import { createServer } from 'node:net';
import { failureText } from './failure-text.js';

describe('a process that could not start', () => {
  it('says in plain words what the system refused and what to do', async () => {
    const error = await new Promise((resolve) =>
      createServer().once('error', resolve).listen(1, '192.0.2.1'),
    );
    expect(failureText(error)).toBe(
      '192.0.2.1:1: this machine has no such address (EADDRNOTAVAIL)\ncorrect HOST',
    );
  });

  it('shows its own errors as they are, and where a fault came from', () => {
    expect(failureText(new AppError('port_in_use', 'Port 1 is taken.'))).toBe('Port 1 is taken.');
    expect(failureText(new TypeError('x is not a function'))).toMatch(/x is not a function\n\s+at /);
    expect(failureText('odd')).toBe('odd');
  });
});
