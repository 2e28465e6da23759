import { describe, expect, it } from '@jest/globals';
import { mayReach } from './addresses.js';
import { resolveTarget } from './target.js';

describe('addresses that a webhook may reach', () => {
  it.each([
    ...['127.0.0.1', '127.255.0.9', '0.0.0.0', '10.1.2.3', '172.31.0.1', '192.168.1.1', '169.254.169.254'],
    ...[
      '100.64.0.1',
      '100.100.100.200',
      '192.0.0.192',
      '198.18.0.1',
      '224.0.0.1',
      '240.0.0.1',
      '255.255.255.255',
    ],
    ...['168.63.129.16', '::', '::1', '::127.0.0.1', '::ffff:127.0.0.1', '::ffff:a00:1', '64:ff9b::7f00:1'],
    ...['64:ff9b:1::1', 'fe80::1', 'fd00:ec2::254', 'fec0::1', 'ff02::1', '2002:7f00:1::', '2001:0:1::1'],
    ...['2001:db8::1', '::ffff:168.63.129.16', '', 'example.com'],
  ])('leave out %s', (address) => {
    expect(mayReach(address, [])).toBe(false);
  });

  it.each(['8.8.8.8', '172.32.0.1', '2606:4700::1111', '::ffff:8.8.8.8', '64:ff9b::808:808'])(
    'include %s',
    (address) => {
      expect(mayReach(address, [])).toBe(true);
    },
  );

  it('include own networks when they are named, in any clothes, and nothing beside them', () => {
    const own = ['127.0.0.0/8', 'fd12::/16'];
    expect(['127.0.0.1', '::ffff:127.0.0.1', 'fd12::1'].map((address) => mayReach(address, own))).toEqual([
      true,
      true,
      true,
    ]);
    expect(['10.0.0.1', '::1', 'fd13::1'].some((address) => mayReach(address, own))).toBe(false);
  });
});

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
