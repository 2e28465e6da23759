import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { systemProblem } from './system-error.js';

const caught = (run: () => unknown): unknown => {
  try {
    return run();
  } catch (error) {
    return error;
  }
};

describe('an error of the operating system', () => {
  it('says what it is about, what is wrong and what to do', () => {
    expect(systemProblem(caught(() => readFileSync('/none/at/all')))).toEqual({
      code: 'ENOENT',
      reason: 'there is no such file or folder',
      message: '/none/at/all: there is no such file or folder (ENOENT)',
      advice: 'correct the path',
    });
    expect(systemProblem(caught(() => readFileSync('/')))).toMatchObject({ code: 'EISDIR' });
  });

  it('names the address that did not answer, or that is taken', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const taken = await new Promise((resolve) =>
      createServer().once('error', resolve).listen(port, '127.0.0.1'),
    );
    await new Promise((resolve) => server.close(resolve));
    const refused = await new Promise((resolve) => connect(port, '127.0.0.1').once('error', resolve));
    expect([taken, refused].map((error) => systemProblem(error)?.message)).toEqual([
      `127.0.0.1:${port}: another program is using the address (EADDRINUSE)`,
      `127.0.0.1:${port}: nothing listens there (ECONNREFUSED)`,
    ]);
  });

  it('is found as a cause, and among several', () => {
    const deep = Object.assign(new Error('x'), { code: 'ENOSPC' });
    for (const error of [
      new Error('a', { cause: new Error('b', { cause: deep }) }),
      new AggregateError([new Error('other'), deep]),
    ])
      expect(systemProblem(error)).toMatchObject({ code: 'ENOSPC', message: 'the disk is full (ENOSPC)' });
  });

  it.each(
    'ECONNREFUSED EADDRINUSE EACCES ENOSPC ENOENT ETIMEDOUT EPIPE ECONNRESET ENOTFOUND EMFILE EROFS EPERM'.split(
      ' ',
    ),
  )('has advice for %s', (code) => {
    expect(systemProblem(Object.assign(new Error(code), { code }))?.advice).toMatch(/^[a-z].{10,}/);
  });

  it('is told as one of the port where a program may not listen', () => {
    const error = Object.assign(new Error('listen'), {
      code: 'EACCES',
      syscall: 'listen',
      address: '::',
      port: 80,
    });
    expect(systemProblem(error)).toMatchObject({
      message: ':::80: permission denied (EACCES)',
      advice: expect.stringContaining('above 1023'),
    });
  });

  it('is none of the others', () => {
    const loop: { cause?: unknown } = {};
    loop.cause = loop;
    for (const error of [
      new Error('x'),
      'ENOENT',
      null,
      { code: 'P2025' },
      { code: 42 },
      { code: 'toString' },
      loop,
    ])
      expect(systemProblem(error)).toBeNull();
  });
});
