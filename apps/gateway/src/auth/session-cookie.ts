/** The one cookie. */
import { SESSION_MS } from '@bullpen/store';

const NAME = 'bullpen_session';

/** The token in a Cookie header; null when there is none. */
export function readSessionCookie(header: string | undefined): string | null {
  const match = new RegExp(`(?:^|;)\\s*${NAME}=([A-Za-z0-9_-]{20,100})(?:;|$)`).exec(header ?? '');
  return match?.[1] ?? null;
}

/** The Set-Cookie value that ends it in the browser. */
export function endedCookie(): string {
  return `${NAME}=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0`;
}

/** The Set-Cookie value for a session; `secure` when people come over TLS. */
export function sessionCookie(token: string, secure: boolean): string {
  const flags = `HttpOnly; SameSite=Strict; Path=/; Max-Age=${SESSION_MS / 1_000}`;
  return `${NAME}=${token}; ${flags}${secure ? '; Secure' : ''}`;
}
