import { describe, expect, it } from '@jest/globals';
import { cpuMs } from '@bullpen/testing/cpu-time';
import { createLogger, redactSecrets } from './logger.js';

function capture(options: { pretty?: boolean; level?: 'info' | 'debug' } = {}) {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const logger = createLogger({
    name: 'test',
    level: options.level ?? 'info',
    pretty: options.pretty,
    destination,
  });
  return { logger, lines };
}

describe('createLogger', () => {
  it('writes one JSON line with name, level and ISO time', () => {
    const { logger, lines } = capture();
    logger.info({ taskId: 'task_1' }, 'hello');
    logger.debug('too quiet');
    expect(lines).toHaveLength(1);
    const line = JSON.parse(lines[0] ?? '') as Record<string, unknown>;
    expect(line).toMatchObject({ name: 'test', level: 'info', msg: 'hello', taskId: 'task_1' });
    expect(line['time']).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  });

  it('takes registered values out, and leaves a line that still parses', () => {
    const lines: string[] = [];
    const masker = { maskJsonText: (text: string) => text.replaceAll('4-value', '[secret A]') };
    const destination = { write: (line: string) => void lines.push(line) };
    const logger = createLogger({ name: 'test', level: 'info', destination, masker });
    logger.error({ err: new Error('no 4-value'), deep: ['4-value'] }, 'a 4-value');
    expect(lines.join('')).not.toContain('4-value');
    expect(lines[0]?.endsWith('\n')).toBe(true);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ msg: 'a [secret A]', deep: ['[secret A]'] });
  });

  it('takes secrets out at any depth, and leaves a line that still parses', () => {
    const { logger, lines } = capture();
    logger.info({
      deep: {
        er: { headers: { authorization: 'Bearer abcdefgh12345678', 'x-api-key': 'k"1' } },
        password: 'hunter2',
      },
      ANTHROPIC_API_KEY: 'sk-ant-api03-secret',
      DATABASE_URL: 'postgres://bull:hunter2@db.example:5432/bullpen',
    });
    const line = lines[0] ?? '';
    expect(line).not.toMatch(/hunter2|sk-ant|abcdefgh|k\\"1/);
    expect(JSON.parse(line)).toMatchObject({
      deep: { er: { headers: { authorization: '[redacted]', 'x-api-key': '[redacted]' } } },
      DATABASE_URL: 'postgres://bull:[redacted]@db.example:5432/bullpen',
    });
  });

  it('takes secrets out of messages and errors', () => {
    const { logger, lines } = capture();
    logger.error(
      { err: new Error('cannot reach redis://:hunter2@cache.example:6379') },
      'with key sk-ant-api03-secret',
    );
    expect(lines[0]).toContain('redis://:[redacted]@cache.example:6379');
    expect(lines[0]).not.toMatch(/hunter2|sk-ant/);
  });

  it('writes lines for people when asked to', () => {
    const { logger, lines } = capture({ pretty: true });
    logger.warn('careful');
    expect(lines.join('')).toMatch(/WARN.*test.*careful/);
  });
});

describe('redactSecrets', () => {
  it('leaves addresses without a password alone', () => {
    const line = '{"msg":"GET http://127.0.0.1:7450/v1/tasks?x=a@b by user@example.com"}';
    expect(redactSecrets(line)).toBe(line);
  });

  it('takes time linear in the line', () => {
    const took = (times: number) => cpuMs(() => redactSecrets(`{"msg":"${'a://b'.repeat(times)}"}`));
    // Linear is ten times as much, quadratic a hundred times.
    expect(took(200_000)).toBeLessThan(50 * Math.max(1, took(20_000)));
  });
});
