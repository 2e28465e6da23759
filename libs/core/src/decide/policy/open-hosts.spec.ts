import { describe, expect, it } from '@jest/globals';
import { HostRules } from '@bullpen/contracts';
import { isOpenHost, opensHosts } from './open-hosts.js';

const rules = (allow: string[], deny: string[] = []) => HostRules.parse({ allow, deny });

describe('opened hosts', () => {
  it.each([
    ['registry.npmjs.org', 'registry.npmjs.org', 443, true],
    ['registry.npmjs.org', 'registry.npmjs.org', 80, true],
    ['registry.npmjs.org', 'registry.npmjs.org', 22, false],
    ['registry.npmjs.org', 'a.registry.npmjs.org', 443, false],
    ['registry.npmjs.org', 'xregistry.npmjs.org', 443, false],
    ['Registry.NPMJS.org ', 'registry.npmjs.org', 443, true],
    ['*.example.com', 'a.example.com', 443, true],
    ['*.example.com', 'a.b.example.com', 443, true],
    ['*.example.com', 'example.com', 443, false],
    ['*.example.com', 'notexample.com', 443, false],
    ['*.example.com', 'example.com.evil.test', 443, false],
    ['example.com:8443', 'example.com', 8_443, true],
    ['example.com:8443', 'example.com', 443, false],
    ['*.example.com:22', 'git.example.com', 22, true],
  ])('%j and %s, port %d: %j', (entry, host, port, expected) => {
    expect(isOpenHost(rules([entry]), host, port)).toBe(expected);
  });

  it('are closed by a denial, on every port unless it names one, and all of them by a star', () => {
    const allow = ['*.example.com', 'a.example.com:8443'];
    expect(isOpenHost(rules(allow, ['a.example.com']), 'a.example.com', 8_443)).toBe(false);
    expect(isOpenHost(rules(allow, ['a.example.com:8443']), 'a.example.com', 443)).toBe(true);
    expect(isOpenHost(rules(allow, ['*.example.com']), 'b.example.com', 443)).toBe(false);
    expect(isOpenHost(rules(allow, ['*']), 'b.example.com', 443)).toBe(false);
    expect([rules([]), rules(allow, ['*']), rules(allow)].map(opensHosts)).toEqual([false, false, true]);
  });
});

describe('an entry for a host', () => {
  it.each([
    ...[
      '10.0.0.1',
      '127.1',
      '2130706433',
      '0x7f.1',
      'example.0x7f',
      '1.2.3.4:443',
      '[::1]',
      '::1',
      '[::1]:443',
    ],
    ...[
      'localhost',
      'intranet',
      '*',
      '*.com',
      'a.*.com',
      '*example.com',
      '**.example.com',
      '',
      '.',
      'a..com',
    ],
    ...[
      'https://example.com',
      'example.com/',
      'user@example.com',
      'example.com.',
      'a_b.com',
      '-a.com',
      'bücher.de',
    ],
    ...[
      'example.com:',
      'example.com:0',
      'example.com:65536',
      'example.com:80:80',
      'a b.com',
      'a.com\0',
      '%61.com',
    ],
    ...[`${'a'.repeat(64)}.com`, `${'a.'.repeat(127)}com`],
  ])('cannot be %j, and the message says what it must be', (entry) => {
    const parsed = HostRules.safeParse({ allow: [entry] });
    expect(parsed.error?.issues).toHaveLength(1);
    expect(parsed.error?.issues[0]?.message).toMatch(/star stands|name|port/);
  });

  it.each(['xn--bcher-kva.de', 'a-b.c1.dev', '1and1.com', '*.s3.eu-central-1.amazonaws.com:443'])(
    'can be %j',
    (entry) => {
      expect(HostRules.parse({ allow: [entry], deny: ['*', entry] }).allow).toEqual([entry]);
    },
  );
});
