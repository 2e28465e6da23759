import { describe, expect, it } from '@jest/globals';
import { quietLog } from './quiet-log.js';
import { recordingLogger } from './testing/builders.js';

describe('quietLog', () => {
  it('logs a trouble once, and later how often it was repeated', () => {
    const { logger, lines } = recordingLogger();
    let now = 0;
    const warn = quietLog(logger, () => now);

    for (let n = 0; n < 100; n += 1) warn('no server', new Error('ECONNREFUSED'));
    warn('no server', new Error('something else'));
    expect(lines.map(({ msg }) => msg)).toEqual(['no server', 'no server']);
    now = 6_000;
    warn('no server', new Error('ECONNREFUSED'));

    expect(lines).toHaveLength(3);
    expect(lines[2]).toMatchObject({ level: 'warn', repeats: 99, err: { message: 'ECONNREFUSED' } });
  });
});
