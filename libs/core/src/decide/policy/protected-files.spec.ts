/** Names of files that need a person, in every spelling that some file system takes for the same. */
import { describe, expect, it } from '@jest/globals';
import { NO_RULES } from '@bullpen/contracts';
import { protectionOf } from './protected-files.js';

const files = (protect: string[], exceptions: string[] = []) => ({ protect, exceptions });

describe('protectionOf', () => {
  it.each([
    ...['.env', '.env.production', 'deep/er/.env.local', '.envrc', '.ENV', '.npmrc', '.ssh/config', 'id_rsa'],
    ...[
      'certs/server.pem',
      'server.KEY',
      'credentials.json',
      '.aws/credentials',
      '.netrc',
      '．env',
      '.env. .',
      '.env.\nlocal',
    ],
  ])('%s may hold secrets', (path) => {
    expect(protectionOf(path, NO_RULES.files)).toBe('secret');
  });

  it.each([
    ...['.git/config', '.git', 'sub/.git/hooks/pre-commit', '.GIT/config', '.git. /config', 'vendor/HEAD'],
    ...['AGENTS.md', 'agents.MD', 'CLAUDE.md', '.cursor/rules/a.mdc', '.claude/settings.json', '.mcp.json'],
    ...['.github/workflows/ci.yml', '.gitlab-ci.yml', 'Jenkinsfile', '.ci/run', '.circleci/config.yml'],
    ...[
      '.bashrc',
      '.profile',
      '.zshrc',
      '.vscode/tasks.json',
      '.husky/pre-commit',
      '.bullpenignore',
      '.ｇit/x',
    ],
  ])('%s tells other programs what to do', (path) => {
    expect(protectionOf(path, NO_RULES.files)).toBe('obeyed');
  });

  it.each([
    ...[
      'src/index.ts',
      'README.md',
      '.env.example',
      'docs/agents.txt',
      'src/components/head/index.tsx',
      'git/x',
    ],
    ...['keys.ts', 'environment.ts', 'id_rsa.pub', '.gitignore', 'src/profile.ts', 'a/b/c'],
  ])('%s is a file like any other', (path) => {
    expect(protectionOf(path, NO_RULES.files)).toBeNull();
  });

  it.each([
    ['package-lock.json', 'package-lock.json', true],
    ['package-lock.json', 'apps/web/package-lock.json', true],
    ['*.sql', 'db/2026/init.sql', true],
    ['*.sql', 'db/init.sql.txt', false],
    ['db/*.sql', 'db/init.sql', true],
    ['db/*.sql', 'db/2026/init.sql', false],
    ['db/**', 'db/2026/init.sql', true],
    ['db/', 'db/2026/init.sql', true],
    ['db/migrations', 'db/migrations/1/up.sql', true],
    ['db/migrations', 'app/db/migrations/1', false],
    ['**/generated/*.ts', 'libs/a/generated/x.ts', true],
    ['**/generated/*.ts', 'generated/x.ts', true],
    ['Prisma/Schema.prisma', 'prisma/schema.PRISMA', true],
    ['caf\u00e9.txt', 'cafe\u0301.txt', true],
    ['*', 'anything/at/all', true],
    ['', 'a', false],
    ['a*b*c*d', `${'a'.repeat(60)}e`, false],
  ])('the entry %j covers %j: %s', (entry, path, covered) => {
    expect(protectionOf(path, files([entry]))).toBe(covered ? 'listed' : null);
  });

  it.each([
    ['AGENTS.md', 'AGENTS.md', true],
    ['./AGENTS.md', 'AGENTS.md', true],
    ['AGENTS.md', 'docs/AGENTS.md', false],
    ['agents.md', 'AGENTS.md', false],
    ['.env', '.env', true],
    ['.env', '.env.production', false],
    ['.github/**', '.github/workflows/ci.yml', true],
    ['.github/*', '.github/workflows/ci.yml', false],
    ['.github', '.github/workflows/ci.yml', false],
  ])('the exception %j lifts %j: %s', (exception, path, lifted) => {
    expect(protectionOf(path, files([], [exception])) === null).toBe(lifted);
  });
});
