/** Browser sessions in the database: for how long they and their links hold, and what is left of them. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { testDatabase, type TestDatabase } from '@bullpen/testing';
import { createPrisma, type Prisma } from '../database/prisma-client.js';
import { registerApiKey } from './api-keys.js';
import { checkSession, endSession, issueLoginCode, openSession, purgeSessions } from './browser-sessions.js';

let database: TestDatabase;
let prisma: Prisma;
let keyId: string;
beforeAll(async () => {
  database = await testDatabase();
  prisma = createPrisma({ databaseUrl: database.url });
  await prisma.tenant.create({ data: { id: 'default', name: 'Default' } });
});
beforeEach(async () => {
  await prisma.apiKey.deleteMany();
  await registerApiKey(prisma, { secret: 'bp_some', tenantId: 'default', name: 'some', scopes: ['read'] });
  keyId = (await prisma.apiKey.findFirstOrThrow()).id;
});
afterAll(async () => {
  await prisma.$disconnect();
  await database.drop();
});

const signIn = async (): Promise<string> => {
  const { secret } = await issueLoginCode(prisma, keyId);
  const session = await openSession(prisma, secret);
  if (session === null) throw new Error('a fresh link opens nothing');
  return session.secret;
};
const letAllExpire = () => prisma.browserSession.updateMany({ data: { expiresAt: new Date(0) } });
const kindOf = async (token: string) => (await checkSession(prisma, token)).kind;

describe('a session', () => {
  it('is worth what its key is worth, for twelve hours', async () => {
    const { secret, expiresAt: linkEnds } = await issueLoginCode(prisma, keyId);
    const session = await openSession(prisma, secret);
    expect(await checkSession(prisma, session?.secret ?? '')).toEqual({
      kind: 'valid',
      principal: { keyId, tenantId: 'default', scopes: ['read'] },
    });
    const minutes = (time: Date | undefined) => Math.round(((time?.getTime() ?? 0) - Date.now()) / 60_000);
    expect([minutes(linkEnds), minutes(session?.expiresAt)]).toEqual([5, 720]);
  });

  it('ends by time, by signing out, and with its key', async () => {
    const old = await signIn();
    await letAllExpire();
    const [ended, keyless] = [await signIn(), await signIn()];
    await endSession(prisma, ended);
    await endSession(prisma, ended);
    expect(await Promise.all([old, ended, keyless].map(kindOf))).toEqual(['ended', 'ended', 'valid']);
    await prisma.apiKey.update({ where: { id: keyId }, data: { revokedAt: new Date() } });
    expect(await kindOf(keyless)).toBe('revoked');
  });

  it('is stored as a hash alone', async () => {
    const { secret: code } = await issueLoginCode(prisma, keyId);
    const token = await signIn();
    const stored = JSON.stringify(await prisma.browserSession.findMany());
    expect([stored.includes(code), stored.includes(token)]).toEqual([false, false]);
  });
});

describe('a login link', () => {
  it('opens one session, however many ask for one at the same time', async () => {
    const { secret } = await issueLoginCode(prisma, keyId);
    const opened = await Promise.all(Array.from({ length: 8 }, () => openSession(prisma, secret)));
    expect(opened.filter((session) => session !== null)).toHaveLength(1);
  });

  it('opens none when it is unknown, too old, or its key opens nothing any more', async () => {
    const { secret } = await issueLoginCode(prisma, keyId);
    expect(await openSession(prisma, `${secret}x`)).toBeNull();
    await prisma.apiKey.update({ where: { id: keyId }, data: { expiresAt: new Date(0) } });
    expect(await openSession(prisma, secret)).toBeNull();
    await prisma.apiKey.update({ where: { id: keyId }, data: { expiresAt: null } });
    await letAllExpire();
    expect(await openSession(prisma, secret)).toBeNull();
  });

  it('is no session, and the token of a session is no link', async () => {
    const { secret: code } = await issueLoginCode(prisma, keyId);
    const token = await signIn();
    expect([await kindOf(code), await openSession(prisma, token)]).toEqual(['ended', null]);
    // Nor does signing out with it use it up.
    await endSession(prisma, code);
    expect(await openSession(prisma, code)).not.toBeNull();
  });
});

describe('the purge', () => {
  it('removes what is over and what a revoked key left, and nothing else', async () => {
    await signIn();
    await issueLoginCode(prisma, keyId);
    await letAllExpire();
    const token = await signIn();
    expect(await purgeSessions(prisma)).toBe(2);
    expect(await kindOf(token)).toBe('valid');
    await prisma.apiKey.update({ where: { id: keyId }, data: { revokedAt: new Date() } });
    expect(await purgeSessions(prisma)).toBe(1);
    expect(await prisma.browserSession.count()).toBe(0);
  });
});
