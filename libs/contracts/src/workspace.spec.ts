import { describe, expect, it } from '@jest/globals';
import { WorkspaceSpec } from './workspace.js';

const isValid = (url: string, ref?: string): boolean =>
  WorkspaceSpec.safeParse({ kind: 'git', url, ...(ref !== undefined && { ref }) }).success;

describe('the address of a repository', () => {
  it.each([
    'https://github.com/acme/shop.git',
    'https://git.example.com:8443/a/b%20c',
    'http://[::1]:80/x',
    'file:///srv/shop.git',
  ])('can be %s', (url) => expect(isValid(url)).toBe(true));

  it.each([
    ...[
      '',
      '-oProxyCommand=x',
      '--upload-pack=touch x',
      'ext::sh -c touch% x',
      'fd::17',
      'shop.git',
      '/srv/shop.git',
    ],
    ...[
      'ssh://git@host/x',
      'git@host:acme/shop.git',
      'git://host/x',
      'ftp://host/x',
      'HTTPS://host/x',
      'https:/host/x',
      'https:\\\\host\\x',
      'https://host\\@other/x',
      'https://',
    ],
    ...[
      'https://host',
      'https://host/',
      'https://host/x?private_token=1',
      'https://host/x#y',
      'file://host/x',
    ],
    ...[
      'https://u:TOKEN@host/x',
      'https://TOKEN@host/x',
      'https://host/x\n',
      ' https://host/x',
      'https://host/\0',
    ],
  ])('cannot be %j, and is not repeated in the answer', (url) => {
    const parsed = WorkspaceSpec.safeParse({ kind: 'git', url });
    expect(parsed.success).toBe(false);
    expect(JSON.stringify(parsed.error?.issues)).not.toContain('TOKEN');
  });
});

describe('a ref', () => {
  it.each(['main', 'feat/x', 'v1.2.3', 'refs/pull/7/head', 'deadbeef', 'größe', "it's"])('can be %s', (ref) =>
    expect(isValid('https://h/x', ref)).toBe(true),
  );

  it.each([
    ...[
      '',
      '-b',
      '--upload-pack=x',
      'a..b',
      'a...b',
      'HEAD~1',
      'HEAD^',
      'a:b',
      'a b',
      'a\nb',
      'a\0b',
      '@{u}',
      'a@{1}',
    ],
    ...[
      '/a',
      'a/',
      'a//b',
      '.a',
      'a/.b',
      'a.lock',
      'a.lock/b',
      'a.',
      'a*',
      'a?',
      'a[b',
      'a\\b',
      'x'.repeat(251),
    ],
  ])('cannot be %j', (ref) => expect(isValid('https://h/x', ref)).toBe(false));
});
