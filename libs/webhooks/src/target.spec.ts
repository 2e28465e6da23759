import { describe, expect, it } from '@jest/globals';
import { resolveTarget } from './target.js';

describe('the target of a URL', () => {
  const kindOf = async (url: string, ...addresses: string[]) => {
    const lookup = () =>
      Promise.resolve(
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }) as const),
      );
    return (await resolveTarget(url, { allowed: [], lookup })).kind;
  };

  it.each([
    ...['http://2130706433/', 'http://0x7f.1/', 'http://0/', 'http://127.1/', 'http://0177.0.0.1/'],
    ...[
      'http://[::1]/',
      'http://[::ffff:127.0.0.1]/',
      'http://evil@127.0.0.1/',
      'http://127.0.0.1\\@good.test/',
    ],
    ...['http://１２７.0.0.1/', 'ftp://8.8.8.8/', 'file:///etc/passwd', 'nonsense'],
  ])('is refused for %s', async (url) => {
    expect(await kindOf(url)).toBe('refused');
  });

  it('is refused when one of several addresses is not public', async () => {
    expect(await kindOf('https://good.test/', '8.8.8.8')).toBe('open');
    expect(await kindOf('https://good.test/', '8.8.8.8', '10.0.0.1')).toBe('refused');
    expect(await kindOf('https://good.test./', '::1')).toBe('refused');
    expect(await kindOf('https://good.test/')).toBe('unknown');
  });

  it('is refused for names that mean this machine, by the resolver of the system', async () => {
    expect(await resolveTarget('http://localhost:1/', { allowed: [] })).toMatchObject({ kind: 'refused' });
    expect(await resolveTarget('http://nowhere.invalid/', { allowed: [] })).toMatchObject({
      kind: 'unknown',
      reason: expect.stringContaining('nowhere.invalid'),
    });
  });
});
