/** The name that a TLS client asks for, out of the first bytes that it sends (RFC 8446 4.1.2, RFC 6066 3). */

/** `null` in `name`: more bytes are needed. */
export type ServerName = { readonly name: string | null } | { readonly fault: string };

/** A hello is rarely over 2 kB, and never over this. */
const MAX_HELLO_BYTES = 16_384;
const RECORD = { handshake: 22, headerBytes: 5 };
const CLIENT_HELLO = 1;
const SERVER_NAME = 0;
const HOST_NAME = 0;

/** Reads the name out of all bytes that came so far. A hello without exactly one name is a fault. */
export function serverNameOf(bytes: Buffer): ServerName {
  try {
    const hello = helloOf(bytes);
    if (hello === null) return bytes.length > MAX_HELLO_BYTES ? NO_HELLO : { name: null };
    const names = namesOf(new Reader(hello));
    return names.length === 1 && names[0] !== undefined
      ? { name: names[0] }
      : { fault: 'the TLS handshake does not name one host' };
  } catch (error) {
    if (error instanceof RangeError) return NO_HELLO;
    throw error;
  }
}

const NO_HELLO = { fault: 'a tunnel carries TLS, and this is no TLS handshake' };

/** The body of the hello, which may stand in several records; null while some of it is missing. Throws RangeError if it is none. */
function helloOf(bytes: Buffer): Buffer | null {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    if (bytes[at] !== RECORD.handshake || (bytes[at + 1] ?? 3) !== 3) throw new RangeError('no TLS record');
    if (bytes.length < at + RECORD.headerBytes) return null;
    const length = bytes.readUInt16BE(at + 3);
    if (length === 0 || length > MAX_HELLO_BYTES) throw new RangeError('no TLS record');
    at += RECORD.headerBytes;
    parts.push(bytes.subarray(at, at + length));
    at += length;
    const message = Buffer.concat(parts);
    if (message.length > 0 && message[0] !== CLIENT_HELLO) throw new RangeError('no hello');
    if (message.length >= 4 && message.length >= 4 + message.readUIntBE(1, 3))
      return message.subarray(4, 4 + message.readUIntBE(1, 3));
  }
  return null;
}

function namesOf(hello: Reader): string[] {
  hello.take(2 + 32); // version, random
  hello.vector(1); // session
  hello.vector(2); // cipher suites
  hello.vector(1); // compression
  const names: string[] = [];
  for (const extensions = hello.vector(2); extensions.hasMore();) {
    const type = extensions.number(2);
    const data = extensions.vector(2);
    if (type !== SERVER_NAME) continue;
    for (const list = data.vector(2); list.hasMore();) {
      const kind = list.number(1);
      const name = list.vector(2).rest().toString('latin1');
      // Other kinds do not exist; a server could take one for a name.
      names.push(kind === HOST_NAME ? name : '');
    }
  }
  return names;
}

/** Reads fields one after the other; RangeError beyond the end. */
class Reader {
  private at = 0;

  constructor(private readonly bytes: Buffer) {}

  hasMore(): boolean {
    return this.at < this.bytes.length;
  }

  take(length: number): Buffer {
    if (this.at + length > this.bytes.length) throw new RangeError('the hello is cut off');
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  number(length: number): number {
    return this.take(length).readUIntBE(0, length);
  }

  /** A field with its length in front. */
  vector(lengthBytes: number): Reader {
    return new Reader(this.take(this.number(lengthBytes)));
  }

  rest(): Buffer {
    return this.take(this.bytes.length - this.at);
  }
}
