import { describe, expect, it } from '@jest/globals';
import { mayReach } from './addresses.js';

describe('addresses that may be reached for somebody else', () => {
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
