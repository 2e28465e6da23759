import { describe, expect, it } from '@jest/globals';
import { parseEnv } from './env.js';
import { credentialLines } from './git-credentials.js';
import { ownSecrets } from './own-secrets.js';
import { workerSettings } from './settings.js';

const read = (text: string) => parseEnv(workerSettings, { GIT_CREDENTIALS: text });
const basic = (text: string) => Buffer.from(text).toString('base64');

describe('GIT_CREDENTIALS', () => {
  it('takes tokens and headers, for all tenants or for some, and can be handed on as it is', () => {
    const given = [
      { host: 'github.com', token: 'ghp_123456' },
      { host: 'h.test:8443', username: 'bot', token: 'p w', tenants: ['a'] },
      { host: 'x.test', header: 'PRIVATE-TOKEN: glpat-1234' },
    ];
    const { GIT_CREDENTIALS = [] } = read(JSON.stringify(given));
    expect(GIT_CREDENTIALS).toEqual([
      {
        host: 'github.com',
        header: `Authorization: Basic ${basic('x-access-token:ghp_123456')}`,
        tenants: null,
      },
      { host: 'h.test:8443', header: `Authorization: Basic ${basic('bot:p w')}`, tenants: ['a'] },
      { host: 'x.test', header: 'PRIVATE-TOKEN: glpat-1234', tenants: null },
    ]);
    expect(read(credentialLines(GIT_CREDENTIALS)).GIT_CREDENTIALS).toEqual(GIT_CREDENTIALS);
  });

  it('is masked: what is sent, and the password in it', () => {
    const settings = read(
      JSON.stringify([
        { host: 'a.test', token: 'Sekret-1' },
        { host: 'b.test', header: `authorization: basic ${basic('u:Sekret-2')}` },
        { host: 'c.test', header: 'Authorization: Bearer Sekret-3' },
      ]),
    );
    const values = ownSecrets(settings).map(({ value }) => value);
    for (const value of ['Sekret-1', basic('x-access-token:Sekret-1'), 'Sekret-2', 'Sekret-3'])
      expect(values).toContain(value);
  });

  it.each([
    'ghp_SECRET',
    '{"host": "h", "token": "SECRET"}',
    '[{"host": "https://h/x", "token": "SECRET"}]',
    '[{"host": "h"}]',
    '[{"host": "h", "token": "SECRET", "header": "A: SECRET"}]',
    '[{"host": "h", "header": "A: SECRET\\r\\nB: x"}]',
    '[{"host": "h", "token": "SECRET", "tenant": "a"}]',
  ])('refuses %s without repeating it', (text) => {
    expect(() => read(text)).toThrow(/GIT_CREDENTIALS: must be a JSON list/);
    expect(() => read(text)).not.toThrow(/SECRET/);
  });
});
