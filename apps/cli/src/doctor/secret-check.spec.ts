import { expect, it } from '@jest/globals';
import { parseEnv, upSettings, type Env } from '@bullpen/platform';
import { secretCheck } from './secret-check.js';

const check = (env: Env) => secretCheck(parseEnv(upSettings, { BULLPEN_HOME: '/nonexistent', ...env }));

it('names what is masked, and never a value', () => {
  const env = { ANTHROPIC_API_KEY: 'sk-ant-4711', SECRET_VALUES: 'MINE=Tr0ub4dor' };
  expect(check(env)).toEqual({
    name: 'Secrets',
    status: 'ok',
    proof: '2 names masked: ANTHROPIC_API_KEY, MINE',
  });
});

it('warns of values that are part of ordinary text', () => {
  const env = { DATABASE_URL: 'postgres://me:postgres@db/x', SECRET_VALUES: 'PIN=4711' };
  expect(check(env)).toMatchObject({
    status: 'warn',
    proof:
      'none is known here; shown as they are: DATABASE_URL (it is a plain word), PIN (it has fewer than 6 characters)',
  });
});
