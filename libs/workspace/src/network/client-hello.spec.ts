import { connect } from 'node:tls';
import { Duplex } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { serverNameOf } from './client-hello.js';

/** The first bytes of a real client. */
async function helloFor(servername: string | undefined): Promise<Buffer> {
  return new Promise((resolve) => {
    const socket = new Duplex({
      read: () => undefined,
      write: (chunk: Buffer, _, done) => {
        resolve(chunk);
        done();
      },
    });
    connect({ socket, ...(servername !== undefined && { servername }) }).on('error', () => undefined);
  });
}

/** The same handshake in records of `size` bytes. */
function inRecords(hello: Buffer, size: number): Buffer {
  const body = hello.subarray(5);
  const records: Buffer[] = [];
  for (let at = 0; at < body.length; at += size) {
    const part = body.subarray(at, at + size);
    records.push(Buffer.from([22, 3, 1, part.length >> 8, part.length & 255]), part);
  }
  return Buffer.concat(records);
}

describe('the name in a TLS handshake', () => {
  it('is found as soon as all bytes are there, in one record or many', async () => {
    const hello = await helloFor('registry.npmjs.org');
    for (const bytes of [hello, inRecords(hello, 1), inRecords(hello, 100)]) {
      expect(serverNameOf(bytes)).toEqual({ name: 'registry.npmjs.org' });
      for (let end = 0; end < bytes.length; end += 7)
        expect(serverNameOf(bytes.subarray(0, end))).toEqual({ name: null });
    }
  });

  it('is a fault when there is none, or two', async () => {
    expect(serverNameOf(await helloFor(undefined))).toHaveProperty('fault');
    const hello = await helloFor('a.example.com');
    const doubled = withSecondName(hello, 'a.example.com');
    expect(serverNameOf(doubled)).toHaveProperty('fault');
  });

  it.each([
    'GET / HTTP/1.1\r\n',
    'SSH-2.0-x\r\n',
    '\x80\x2e\x01\x00\x02',
    '\x16\x03\x01\xff\xff',
    '\x16\x03\x01\x00\x01\x02',
  ])('is a fault for %j', (bytes) => {
    expect(serverNameOf(Buffer.from(bytes, 'latin1'))).toHaveProperty('fault');
  });

  it('never throws, whatever bytes come, and never waits for more than a hello can have', async () => {
    const hello = await helloFor('registry.npmjs.org');
    fc.assert(
      fc.property(fc.nat(hello.length - 1), fc.integer({ min: 0, max: 255 }), (at, value) => {
        const changed = Buffer.from(hello);
        changed[at] = value;
        const found = serverNameOf(Buffer.concat([changed, Buffer.alloc(80_000, 22)]));
        return 'fault' in found || found.name !== null;
      }),
      { numRuns: 2_000 },
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => Boolean(serverNameOf(Buffer.from(bytes)))),
    );
  });
});

/** The same hello with another name behind the first, in the same list. */
function withSecondName(hello: Buffer, name: string): Buffer {
  const at = hello.indexOf(Buffer.from(name, 'latin1'));
  const end = at + name.length;
  const more = Buffer.concat([Buffer.from([0, 0, name.length]), Buffer.from(name, 'latin1')]);
  const changed = Buffer.concat([hello.subarray(0, end), more, hello.subarray(end)]);
  const grow = (offset: number) => changed.writeUInt16BE(changed.readUInt16BE(offset) + more.length, offset);
  grow(at - 5); // the list
  grow(at - 7); // the extension
  grow(3); // the record
  grow(7); // the handshake: the lower two of its three bytes
  const session = changed[43] ?? 0;
  const ciphers = changed.readUInt16BE(44 + session);
  const compression = changed[46 + session + ciphers] ?? 0;
  grow(47 + session + ciphers + compression); // all extensions
  return changed;
}
