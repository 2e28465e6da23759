/**
 * API keys: random secrets of which only a SHA-256 is stored. With 256 random bits there is nothing to guess, so a slow hash
 * would only slow down requests.
 */
import { createHash, randomBytes } from 'node:crypto';
import { chmod, link, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { newId } from '@bullpen/platform';
import type { Pool } from 'pg';
import type { ApiKey, PrismaClient } from '../generated/client.js';

/** What a key may do: read, change things, operate the installation (queue dashboard). */
export const API_KEY_SCOPES = ['read', 'write', 'admin'] as const;
export type ApiKeyScope = (typeof API_KEY_SCOPES)[number];

/** The tenant and name of the key that the first start creates. */
const LOCAL = { tenantId: 'default', tenantName: 'Default', keyName: 'local' };

/** Who a request is made for. */
export interface Principal {
  readonly keyId: string;
  readonly tenantId: string;
  readonly scopes: readonly string[];
}

/** The answer for a presented key; everything but `valid` is a refusal that can say what to do. */
export type KeyCheck =
  | { readonly kind: 'valid'; readonly principal: Principal }
  | { readonly kind: 'unknown' | 'expired' | 'revoked' };

/** A new secret: `bp_` and 32 random bytes. */
export function newApiKey(): string {
  return `bp_${randomBytes(32).toString('base64url')}`;
}

/** The stored form of a secret. */
export function hashApiKey(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Checks a presented secret. Looks at the database each time: a revoked key stops working at once. */
export async function checkApiKey(pool: Pool, secret: string): Promise<KeyCheck> {
  const { rows } = await pool.query<PresentedKey>({
    name: 'check-key',
    text: `SELECT id, tenant_id AS "tenantId", scopes, expires_at AS "expiresAt", revoked_at AS "revokedAt" FROM api_keys WHERE hash = $1`,
    values: [hashApiKey(secret)],
  });
  return judgeKey(rows[0] ?? null);
}

/** What says whether a key opens anything, and for whom. */
export type PresentedKey = Pick<ApiKey, 'id' | 'tenantId' | 'scopes' | 'expiresAt' | 'revokedAt'>;

/** What a key is worth now; null stands for one that nobody knows. */
export function judgeKey(row: PresentedKey | null): KeyCheck {
  if (row === null) return { kind: 'unknown' };
  if (row.revokedAt !== null) return { kind: 'revoked' };
  if (row.expiresAt !== null && row.expiresAt.getTime() <= Date.now()) return { kind: 'expired' };
  return { kind: 'valid', principal: { keyId: row.id, tenantId: row.tenantId, scopes: row.scopes } };
}

/** Notes that a key was used; at most one write a minute and key, by the condition on the row. */
export async function touchApiKey(prisma: PrismaClient, keyId: string): Promise<void> {
  const minuteAgo = new Date(Date.now() - 60_000);
  await prisma.apiKey.updateMany({
    where: { id: keyId, OR: [{ lastUsedAt: null }, { lastUsedAt: { lt: minuteAgo } }] },
    data: { lastUsedAt: new Date() },
  });
}

/** Stores a key for a tenant. Registering the same secret again changes nothing, also from several processes at once. */
export async function registerApiKey(
  prisma: PrismaClient,
  key: {
    secret: string;
    tenantId: string;
    name: string;
    scopes: readonly ApiKeyScope[];
    expiresAt?: Date;
  },
): Promise<void> {
  const { secret, scopes, ...rest } = key;
  // Prisma's upsert looks first and then writes, so two at once can collide; this is one ON CONFLICT DO NOTHING.
  await prisma.apiKey.createMany({
    data: [{ id: newId('key'), hash: hashApiKey(secret), scopes: [...scopes], ...rest }],
    skipDuplicates: true,
  });
}

/**
 * Makes sure that the person at this machine has a working key: makes the tenant `default` and, at the first start, an admin key in
 * `keyFile` (mode 0600). If the database does not know the key in the file, the key is registered again (the database was reset); a
 * missing file gets a new key (the old one cannot be shown: only its hash was kept). Safe to call from several processes: the
 * second one reads the file of the first. Returns whether the file was written now.
 */
export async function ensureLocalKey(deps: {
  prisma: PrismaClient;
  keyFile: string;
}): Promise<{ created: boolean }> {
  const { prisma, keyFile } = deps;
  await prisma.tenant.createMany({
    data: [{ id: LOCAL.tenantId, name: LOCAL.tenantName }],
    skipDuplicates: true,
  });
  const known = await readKeyFile(keyFile);
  const secret = known ?? (await writeKeyFile(keyFile, newApiKey()));
  await registerApiKey(prisma, {
    secret,
    tenantId: LOCAL.tenantId,
    name: LOCAL.keyName,
    scopes: API_KEY_SCOPES,
  });
  return { created: known === null };
}

async function readKeyFile(path: string): Promise<string | null> {
  try {
    const secret = (await readFile(path, 'utf8')).trim();
    // Copying a home folder may widen the mode; the file is a password.
    await chmod(path, 0o600);
    return /^bp_[A-Za-z0-9_-]{20,}$/.test(secret) ? secret : null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/**
 * Writes beside the file and links it into place, so that no reader ever sees half a key, and if several processes start at once,
 * all use the first one's key. Returns the key in the file.
 */
async function writeKeyFile(path: string, secret: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(`${secret}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    return await publishKeyFile(draft, path, secret);
  } finally {
    await rm(draft, { force: true });
  }
}

async function publishKeyFile(draft: string, path: string, secret: string): Promise<string> {
  try {
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const others = await readKeyFile(path);
    if (others !== null) return others;
    // The file is there, but holds no key (an editor's accident): replace it.
    await rename(draft, path);
  }
  return secret;
}

/** The name of a key, to show people who did something. */
export async function keyName(prisma: PrismaClient, keyId: string): Promise<string> {
  const row = await prisma.apiKey.findUnique({ where: { id: keyId }, select: { name: true } });
  return row?.name ?? keyId;
}
