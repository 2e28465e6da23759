/** package.json holds two packages of others at versions that run on Node 20: those who need them work with these. */
import { describe, expect, it } from '@jest/globals';
import { FileTypeValidator } from '@nestjs/common';
import { fastify } from 'fastify';

describe('packages at versions that run on Node 20', () => {
  it('let Fastify send and read cookies where it calls itself', async () => {
    const app = fastify();
    app.get('/', (request, reply) =>
      reply.header('set-cookie', 'seen=a%20b; Path=/; HttpOnly').send(request.headers.cookie),
    );
    const { body, cookies } = await app.inject({ url: '/', cookies: { name: 'x y' } });
    expect(body).toBe('name=x%20y');
    expect(cookies).toEqual([{ name: 'seen', value: 'a b', path: '/', httpOnly: true }]);
    await app.close();
  });

  it('let Nest tell a file by its content', async () => {
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    const valid = (fileType: string) =>
      new FileTypeValidator({ fileType }).isValid({ buffer: png, mimetype: 'text/plain', size: png.length });
    expect([await valid('image/png'), await valid('image/jpeg')]).toEqual([true, false]);
  });
});
