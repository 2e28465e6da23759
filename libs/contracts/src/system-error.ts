/** What the error codes of the operating system mean, and what to do about each. */

interface SystemProblem {
  readonly code: string;
  /** What is wrong, in a few words. */
  readonly reason: string;
  /** The same with what it is about and the code, on one line. */
  readonly message: string;
  readonly advice: string;
}

const OF_NETWORK = 'check the address, the network, and any firewalls or proxies in between';
const LISTEN_ADVICE = 'choose a port above 1023 (PORT), or give the user that runs Bullpen the right to it';
const OF_CERTIFICATE = 'correct the address, or name the authority that signed it in NODE_EXTRA_CA_CERTS';

const MEANINGS: Readonly<Record<string, readonly [reason: string, advice: string]>> = {
  EACCES: ['permission denied', 'give the user that runs Bullpen permission, or choose another place'],
  EADDRINUSE: ['another program is using the address', 'stop that program, or choose another port (PORT=0 picks a free one)'],
  EADDRNOTAVAIL: ['this machine has no such address', 'correct HOST'],
  EAI_AGAIN: ['the name could not be looked up', 'check the network and its name server, then try again'],
  EBUSY: ['it is in use', 'end the program that uses it, then try again'],
  ECONNABORTED: ['the connection was lost', 'try again; if it keeps happening, see the log of the other side'],
  ECONNREFUSED: ['nothing listens there', 'start that server, or correct its address'],
  ECONNRESET: ['the connection was lost', 'try again; if it keeps happening, see the log of the other side'],
  EDQUOT: ['your share of the disk is used up', 'remove what is not needed, or put BULLPEN_HOME on another disk'],
  EEXIST: ['it already exists', 'remove it, or choose another name'],
  EHOSTUNREACH: ['that machine cannot be reached', OF_NETWORK],
  EIO: ['the disk or the device failed', 'see the log of the system (dmesg)'],
  EISDIR: ['it is a folder, not a file', 'name a file'],
  ELOOP: ['its links lead in a circle', 'fix the links'],
  EMFILE: ['too many files are open', 'raise the limit: ulimit -n 4096'],
  ENAMETOOLONG: ['the name is too long', 'choose a shorter one'],
  ENETUNREACH: ['that network cannot be reached', OF_NETWORK],
  ENFILE: ['too many files are open on this machine', 'end the programs that hold them (lsof shows them)'],
  ENOENT: ['there is no such file or folder', 'correct the path'],
  ENOMEM: ['there is no memory left', 'end other programs, or run fewer workers (WORKERS)'],
  ENOSPC: ['the disk is full', 'free some space (df -h shows where), or put BULLPEN_HOME on another disk'],
  ENOTDIR: ['a part of the path is not a folder', 'correct the path'],
  ENOTEMPTY: ['the folder is not empty', 'empty it, or choose another one'],
  ENOTFOUND: ['there is no machine with that name', 'correct the address'],
  EPERM: ['the system does not allow it', 'run it as a user who is allowed to'],
  EPIPE: ['the other side closed the connection', 'try again; if it keeps happening, see the log of the other side'],
  EROFS: ['the disk cannot be written to', 'put BULLPEN_HOME on another disk'],
  ETIMEDOUT: ['no answer came in time', OF_NETWORK],
  ETXTBSY: ['the program is running', 'end it, then try again'],
  EXDEV: ['it is on another disk', 'choose a place on the same disk'],
  CERT_HAS_EXPIRED: ['the certificate of the server has expired', 'have it renewed'],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['the certificate of the server is self-signed', OF_CERTIFICATE],
  ERR_TLS_CERT_ALTNAME_INVALID: ['the certificate is for another name', 'correct the address'],
  SELF_SIGNED_CERT_IN_CHAIN: ['no known authority signed the certificate', OF_CERTIFICATE],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ['no known authority signed the certificate', OF_CERTIFICATE],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ['no known authority signed the certificate', OF_CERTIFICATE],
}; // prettier-ignore

/** What the operating system said, when that is what an error is about (itself, its cause, or one of several). Null for other errors. */
export function systemProblem(error: unknown): SystemProblem | null {
  const found = systemErrorIn(error);
  if (found === null) return null;
  const [reason = '', meant = ''] = MEANINGS[found.code] ?? [];
  const advice = found.code === 'EACCES' && found.syscall === 'listen' ? LISTEN_ADVICE : meant;
  const what = subjectOf(found);
  return {
    code: found.code,
    reason,
    message: `${what === null ? '' : `${what}: `}${reason} (${found.code})`,
    advice,
  };
}

interface SystemError {
  readonly code: string;
  readonly path?: unknown;
  readonly address?: unknown;
  readonly port?: unknown;
  readonly hostname?: unknown;
  readonly syscall?: unknown;
}

const DEEPEST = 5;

function systemErrorIn(error: unknown, depth = 0): SystemError | null {
  if (typeof error !== 'object' || error === null || depth > DEEPEST) return null;
  if ('code' in error && typeof error.code === 'string' && Object.hasOwn(MEANINGS, error.code))
    return error as SystemError;
  // A name with several addresses fails with one error for each.
  const inner = [
    'cause' in error ? error.cause : null,
    ...('errors' in error && Array.isArray(error.errors) ? (error.errors as unknown[]) : []),
  ];
  for (const each of inner) {
    const found = systemErrorIn(each, depth + 1);
    if (found !== null) return found;
  }
  return null;
}

function subjectOf({ path, address, port, hostname }: SystemError): string | null {
  if (typeof path === 'string') return path;
  if (typeof address === 'string') return typeof port === 'number' ? `${address}:${port}` : address;
  return typeof hostname === 'string' ? hostname : null;
}
