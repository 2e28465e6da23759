/** Bedrock and Vertex against a server that speaks their wire: what is sent and signed, how answers are framed, what errors mean. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { builtInProfile, type ModelChunk, type ModelRequest } from '@bullpen/core';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CloudModel, type CloudPlace } from './cloud-model.js';

interface Seen {
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Record<string, unknown>;
}

let server: Server;
let origin: string;
let folder: string;
let seen: Seen[];
let answer: (response: ServerResponse) => void;
let env: NodeJS.ProcessEnv;
beforeEach(async () => {
  env = process.env;
  // Whatever this machine has is not meant.
  const mine = Object.entries(env).filter(([name]) => !/^(AWS|GOOGLE|ANTHROPIC|CLOUD_ML|GCLOUD)/.test(name));
  folder = mkdtempSync(join(tmpdir(), 'bullpen-cloud-'));
  process.env = { ...Object.fromEntries(mine), HOME: folder, AWS_EC2_METADATA_DISABLED: 'true' };
  seen = [];
  server = createServer((request, response) => {
    void textOf(request).then((text) => {
      if (request.url === '/token') {
        response.writeHead(200, { 'content-type': 'application/json' });
        return response.end(
          JSON.stringify({ access_token: 'ya29.google', expires_in: 3_600, token_type: 'Bearer' }),
        );
      }
      seen.push({ url: request.url ?? '', headers: request.headers, body: JSON.parse(text) as Seen['body'] });
      return answer(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  process.env = env;
  rmSync(folder, { recursive: true });
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of request) text += String(part);
  return text;
}

const EVENTS = [
  {
    type: 'message_start',
    message: { id: 'msg_1', content: [], usage: { input_tokens: 25, output_tokens: 1 } },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Grüße 👋' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } },
  { type: 'message_stop' },
];

/** A frame of Amazon's event stream: lengths, headers, payload, each with a checksum. */
function frame(headers: Record<string, string>, payload: object): Buffer {
  const named = Object.entries(headers).map(([name, value]) => {
    const length = Buffer.alloc(3);
    length.writeUInt8(7, 0);
    length.writeUInt16BE(Buffer.byteLength(value), 1);
    return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), length, Buffer.from(value)]);
  });
  const head = Buffer.concat(named);
  const body = Buffer.from(JSON.stringify(payload));
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(16 + head.length + body.length, 0);
  prelude.writeUInt32BE(head.length, 4);
  const start = Buffer.concat([prelude, sum(prelude), head, body]);
  return Buffer.concat([start, sum(start)]);
}
function sum(bytes: Buffer): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32BE(crc32(bytes), 0);
  return buffer;
}
const chunk = (event: object) =>
  frame(
    { ':event-type': 'chunk', ':content-type': 'application/json', ':message-type': 'event' },
    { bytes: Buffer.from(JSON.stringify(event)).toString('base64') },
  );
const exception = (name: string) =>
  frame(
    { ':exception-type': name, ':content-type': 'application/json', ':message-type': 'exception' },
    { message: 'Too many.' },
  );

const request: ModelRequest = {
  ...builtInProfile('claude-sonnet-5-5'),
  model: 'us.anthropic.claude-sonnet-5-5-v1:0',
  maxOutputTokens: 1_000,
  ...{ system: 'Be brief.', tools: [], toolChoice: { type: 'none' } },
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
};
const BEDROCK: Omit<CloudPlace, 'baseUrl'> = {
  provider: 'bedrock',
  region: 'eu-west-1',
  project: null,
  apiKey: null,
};
const VERTEX: Omit<CloudPlace, 'baseUrl'> = {
  provider: 'vertex',
  region: 'europe-west4',
  project: 'acme-1',
  apiKey: null,
};

async function ask(place: Omit<CloudPlace, 'baseUrl'>, model = request.model): Promise<ModelChunk[]> {
  const chunks: ModelChunk[] = [];
  const cloud = new CloudModel({ ...place, baseUrl: origin }, () => null);
  const signal = new AbortController().signal;
  for await (const one of cloud.stream({ ...request, model }, signal, () => true)) chunks.push(one);
  return chunks;
}
const errorOf = (chunks: readonly ModelChunk[]) => {
  const last = chunks.at(-1);
  return last?.type === 'error' ? last.error : null;
};
const WHOLE = [
  { type: 'text', index: 0, text: 'Grüße 👋' },
  { type: 'block_end', index: 0 },
  { type: 'usage', usage: { inputTokens: 25, outputTokens: 9 } },
  { type: 'stop', stopReason: 'end_turn' },
];

describe('Bedrock', () => {
  beforeEach(() => {
    Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI' });
    answer = (response) => {
      response.writeHead(200, {
        'content-type': 'application/vnd.amazon.eventstream',
        'x-amzn-requestid': 'amzn_1',
      });
      const bytes = Buffer.concat(EVENTS.map(chunk));
      // Frames do not end where packets do.
      response.write(bytes.subarray(0, 101));
      setImmediate(() => response.end(bytes.subarray(101)));
    };
  });

  it('gets a signed request for the model in its path, and its frames become the chunks of any answer', async () => {
    const chunks = await ask(BEDROCK);
    expect(chunks[0]).toEqual({ type: 'response', providerRequestId: 'amzn_1', simulated: false });
    expect(chunks.slice(2)).toMatchObject(WHOLE);
    expect(seen).toMatchObject([
      {
        url: '/model/us.anthropic.claude-sonnet-5-5-v1:0/invoke-with-response-stream',
        body: { anthropic_version: expect.any(String), max_tokens: 1_000, messages: [{ role: 'user' }] },
        headers: {
          authorization: expect.stringMatching(
            /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-west-1\/bedrock\/aws4_request, SignedHeaders=\S+, Signature=[\da-f]{64}$/,
          ),
        },
      },
    ]);
    expect(Object.keys(seen[0]?.body ?? {})).not.toEqual(expect.arrayContaining(['model']));
    expect(JSON.stringify(seen)).not.toContain('wJalrXUtnFEMI');
  });

  it('gets the key of the profile where there is one, and no signature', async () => {
    await ask({ ...BEDROCK, apiKey: 'bedrock-key' });
    expect(seen[0]?.headers).toMatchObject({ authorization: 'Bearer bedrock-key' });
    expect(JSON.stringify(seen[0]?.headers)).not.toContain('AWS4');
  });

  it.each([
    [
      403,
      'UnrecognizedClientException',
      'The security token included in the request is invalid.',
      'authentication',
    ],
    [
      403,
      'AccessDeniedException',
      "You don't have access to the model with the specified model ID.",
      'request',
    ],
    [429, 'ThrottlingException', 'Too many requests, please wait.', 'rate_limit'],
    [400, 'ValidationException', 'prompt is too long: 210000 tokens > 200000 maximum', 'context'],
    [400, 'ValidationException', 'Input is too long for requested model.', 'context'],
    [400, 'ValidationException', 'Malformed input request.', 'request'],
    [503, 'ServiceUnavailableException', 'Try later.', 'network'],
  ])('answers %i %s "%s": class %4$s'.replace('%4$s', '%s'), async (status, type, message, errorClass) => {
    answer = (response) =>
      response
        .writeHead(status, {
          'content-type': 'application/json',
          'x-amzn-errortype': `${type}:http://x/`,
          'x-amzn-requestid': 'amzn_2',
        })
        .end(JSON.stringify({ message }));
    expect(errorOf(await ask(BEDROCK))).toMatchObject({
      class: errorClass,
      httpStatus: status,
      message: expect.stringContaining(message),
    });
    expect(seen).toHaveLength(1);
  });

  it.each([
    ['throttlingException', 'rate_limit'],
    ['serviceUnavailableException', 'overload'],
    ['modelStreamErrorException', 'network'],
    ['validationException', 'request'],
  ])('may break off with %s: class %s', async (name, errorClass) => {
    answer = (response) =>
      response
        .writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' })
        .end(Buffer.concat([...EVENTS.slice(0, 3).map(chunk), exception(name)]));
    expect(errorOf(await ask(BEDROCK))).toMatchObject({ class: errorClass });
  });

  it('is cut when a frame is: the answer just ends, and nothing of it counts as complete', async () => {
    answer = (response) => {
      response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' });
      response.end(Buffer.concat(EVENTS.map(chunk)).subarray(0, 300));
    };
    const chunks = await ask(BEDROCK);
    expect(chunks.some(({ type }) => type === 'stop')).toBe(false);
  });

  // Those of a machine may come back: it is tried again like a network that is down.
  it('is not reached without any credentials, which is told', async () => {
    delete process.env['AWS_ACCESS_KEY_ID'];
    const error = errorOf(await ask(BEDROCK));
    expect(error).toMatchObject({ class: 'network', message: expect.stringMatching(/credentials/i) });
    expect(seen).toEqual([]);
  });
});

describe('Vertex', () => {
  beforeEach(() => {
    answer = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(
        EVENTS.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''),
      );
    };
    const token = join(folder, 'token');
    writeFileSync(token, 'subject');
    const credentials = {
      type: 'external_account',
      audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/x',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      token_url: `${origin}/token`,
      credential_source: { file: token },
    };
    const file = join(folder, 'google.json');
    writeFileSync(file, JSON.stringify(credentials));
    process.env['GOOGLE_APPLICATION_CREDENTIALS'] = file;
  });

  it('gets the model in its path and a token of the default credentials, and answers like the Messages API', async () => {
    const chunks = await ask(VERTEX, 'claude-sonnet-5-5@20261007');
    expect(chunks.slice(2)).toMatchObject(WHOLE);
    expect(seen).toMatchObject([
      {
        url: '/projects/acme-1/locations/europe-west4/publishers/anthropic/models/claude-sonnet-5-5@20261007:streamRawPredict',
        headers: { authorization: 'Bearer ya29.google' },
        body: { anthropic_version: expect.any(String), stream: true, max_tokens: 1_000 },
      },
    ]);
    expect(seen[0]?.body).not.toHaveProperty('model');
    expect(seen[0]?.headers).not.toHaveProperty('x-api-key');
  });

  it.each([
    [401, 'UNAUTHENTICATED', 'authentication'],
    [403, 'PERMISSION_DENIED', 'request'],
    [429, 'RESOURCE_EXHAUSTED', 'rate_limit'],
    [503, 'UNAVAILABLE', 'network'],
  ])('answers %i %s: class %s', async (code, status, errorClass) => {
    answer = (response) =>
      response
        .writeHead(code, { 'content-type': 'application/json' })
        .end(JSON.stringify({ error: { code, status, message: 'No.' } }));
    expect(errorOf(await ask(VERTEX))).toMatchObject({ class: errorClass, httpStatus: code });
  });

  it('is not reached without credentials or a region, which is told, and nothing is left to nobody', async () => {
    const noRegion = errorOf(await ask({ ...VERTEX, region: null }));
    expect(noRegion).toMatchObject({
      class: 'authentication',
      message: expect.stringContaining('CLOUD_ML_REGION'),
    });
    process.env['GOOGLE_APPLICATION_CREDENTIALS'] = join(folder, 'none.json');
    expect(errorOf(await ask(VERTEX))).toMatchObject({
      class: 'authentication',
      message: expect.stringContaining('vertex cannot be used'),
    });
    expect(seen).toEqual([]);
  });
});
