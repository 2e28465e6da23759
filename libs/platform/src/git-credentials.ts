/** The setting with which an installation lets its tasks fetch from repositories that are not public. */
import { z } from 'zod';

const Entry = z
  .strictObject({
    /** As the address has it, with a port that is not the usual one. */
    host: z.string().regex(/^[a-z0-9.-]+(:\d{1,5})?$/),
    /** Sent as the password of `username`. */
    token: z.string().regex(/^[\x20-\x7e]+$/).optional(), // prettier-ignore
    username: z.string().regex(/^[!-9;-~]+$/).default('x-access-token'), // prettier-ignore
    /** A whole header, for what takes no password: `PRIVATE-TOKEN: …`. */
    header: z.string().regex(/^[A-Za-z0-9-]+: [\x20-\x7e]+$/).optional(), // prettier-ignore
    /** Ids of the tenants that may use it. Without it, all may. */
    tenants: z.array(z.string()).optional(),
  })
  .refine(({ token, header }) => (token === undefined) !== (header === undefined));

/** What is sent to a host with each request of a clone. */
export interface GitCredential {
  readonly host: string;
  /** As HTTP has it; the whole of it is secret. */
  readonly header: string;
  /** Null: all may use it. */
  readonly tenants: readonly string[] | null;
}

const PROBLEM =
  'must be a JSON list like [{"host": "github.com", "token": "…"}], each entry with a token or a header, and with tenants if not all may use it';

/** The problem never holds a value. */
export function gitCredentials() {
  return z.string().transform((text, context): readonly GitCredential[] => {
    const entries = entriesOf(text);
    if (entries !== undefined) return entries.map(credentialOf);
    context.addIssue(PROBLEM);
    return z.NEVER;
  });
}

function entriesOf(text: string): z.output<typeof Entry>[] | undefined {
  try {
    return z.array(Entry).safeParse(JSON.parse(text)).data;
  } catch {
    return undefined; // What the parser says may quote a value.
  }
}

function credentialOf({ host, token, username, header, tenants }: z.output<typeof Entry>): GitCredential {
  const basic = Buffer.from(`${username}:${token ?? ''}`).toString('base64');
  return { host, header: header ?? `Authorization: Basic ${basic}`, tenants: tenants ?? null };
}

/** What of a credential must never be seen: what is sent, and the password in it. */
export function secretsOf({ header }: GitCredential): string[] {
  const sent = header.slice(header.indexOf(': ') + 2);
  const [, scheme = '', value = sent] = /^(Basic|Bearer) (.+)$/i.exec(sent) ?? [];
  const plain = /^basic$/i.test(scheme) ? Buffer.from(value, 'base64').toString() : '';
  return [value, plain.slice(plain.indexOf(':') + 1)].filter((text) => text !== '');
}

/** As `GIT_CREDENTIALS` takes them, for another process. */
export function credentialLines(credentials: readonly GitCredential[]): string {
  return JSON.stringify(
    credentials.map(({ host, header, tenants }) => ({ host, header, ...(tenants && { tenants }) })),
  );
}
