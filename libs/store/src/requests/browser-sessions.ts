/**
 * Browser sessions: a link that works once, made with a key, is exchanged for a cookie. Kept in the database, so that every gateway knows
 * them and a restart signs nobody out; both secrets are random and stored only as hashes. Times are the database's: gateways' clocks differ.
 */
import { randomBytes } from 'node:crypto';
import { Prisma, type PrismaClient } from '../generated/client.js';
import { hashApiKey as hashOf, judgeKey, type KeyCheck, type PresentedKey } from './api-keys.js';

const LINK_MS = 5 * 60_000;
/** Lifetime of a session, in ms. */
export const SESSION_MS = 12 * 3_600_000;

/** A secret that is told only here. */
interface ExpiringSecret {
  readonly secret: string;
  readonly expiresAt: Date;
}

/** The answer for a presented cookie: what its key is worth, or `ended` when there is no such session any more. */
export type SessionCheck = KeyCheck | { readonly kind: 'ended' };

/** A new code for a login link, for the holder of a key. Works once, for five minutes. */
export async function issueLoginCode(prisma: PrismaClient, keyId: string): Promise<ExpiringSecret> {
  const secret = newSecret();
  const [row] = await prisma.$queryRaw<{ expiresAt: Date }[]>(Prisma.sql`
    insert into browser_sessions (hash, key_id, expires_at)
    values (${hashOf(secret)}, ${keyId}, ${inMs(LINK_MS)})
    returning expires_at as "expiresAt"`);
  if (row === undefined) throw new Error('An inserted session was not returned');
  return { secret, expiresAt: row.expiresAt };
}

/**
 * Exchanges the code of a link for the token of a session; null when it is unknown, used or too old, or its key opens nothing any more. One
 * statement decides: of many at the same time, at whatever gateways, one gets it.
 */
export async function openSession(prisma: PrismaClient, code: string): Promise<ExpiringSecret | null> {
  const secret = newSecret();
  const [row] = await prisma.$queryRaw<{ expiresAt: Date }[]>(Prisma.sql`
    update browser_sessions link
    set hash = ${hashOf(secret)}, opened_at = clock_timestamp(), expires_at = ${inMs(SESSION_MS)}
    from api_keys key
    where link.hash = ${hashOf(code)} and link.opened_at is null and link.expires_at > clock_timestamp()
      and key.id = link.key_id and key.revoked_at is null
      and (key.expires_at is null or key.expires_at > clock_timestamp())
    returning link.expires_at as "expiresAt"`);
  return row === undefined ? null : { secret, expiresAt: row.expiresAt };
}

/** Checks the token of a cookie. Looks at the database each time: a session ends at once with itself or its key. */
export async function checkSession(prisma: PrismaClient, token: string): Promise<SessionCheck> {
  const [key] = await prisma.$queryRaw<PresentedKey[]>(Prisma.sql`
    select key.id, key.tenant_id as "tenantId", key.scopes, key.expires_at as "expiresAt", key.revoked_at as "revokedAt"
    from browser_sessions session join api_keys key on key.id = session.key_id
    where session.hash = ${hashOf(token)} and session.opened_at is not null
      and session.expires_at > clock_timestamp()`);
  return key === undefined ? { kind: 'ended' } : judgeKey(key);
}

/** Ends a session. Safe to repeat. */
export async function endSession(prisma: PrismaClient, token: string): Promise<void> {
  await prisma.browserSession.deleteMany({ where: { hash: hashOf(token), openedAt: { not: null } } });
}

/** Removes links and sessions that are over, and those of keys that were revoked. Returns how many. */
export function purgeSessions(prisma: PrismaClient): Promise<number> {
  return prisma.$executeRaw(Prisma.sql`
    delete from browser_sessions session using api_keys key
    where key.id = session.key_id and (session.expires_at <= clock_timestamp() or key.revoked_at is not null)`);
}

const inMs = (ms: number): Prisma.Sql => Prisma.sql`clock_timestamp() + ${ms} * interval '1 ms'`;

function newSecret(): string {
  return randomBytes(32).toString('base64url');
}
