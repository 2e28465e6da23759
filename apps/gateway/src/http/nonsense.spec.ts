/** Whatever is sent: a problem document that helps, and never a 5xx. */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Problem } from '@bullpen/contracts';
import { problemFrom, startTestGateway, type TestGateway } from '../testing/test-gateway.js';

let bullpen: TestGateway;
beforeAll(async () => {
  bullpen = await startTestGateway();
});
afterAll(() => bullpen?.close());

const JSON_TYPE = { 'content-type': 'application/json' };
const raw = (body: string | Uint8Array, headers: Record<string, string> = JSON_TYPE) =>
  bullpen.call('/v1/tasks', { method: 'POST', body, headers });
const refusal = async (response: Response | Promise<Response>): Promise<Problem> => {
  const answer = await response;
  const problem = await problemFrom(answer);
  expect(answer.status).toBe(problem.status);
  expect(problem.status).toBeGreaterThanOrEqual(400);
  expect(problem.status).toBeLessThan(500);
  expect(problem.type).toBe(`urn:bullpen:problem:${problem.code}`);
  expect(answer.headers.get('x-request-id')).toBe(problem.traceId);
  return problem;
};

describe('bodies', () => {
  it.each([
    ['{"prompt": }', 'position 11'],
    ['{"prompt": "a" "b"}', 'line 1, column 16'],
    ['{\n  "prompt": "a",\n}', 'line 3, column 1'],
    ['{"prompt": "a"', 'the text ends too early'],
    ['', 'is missing'],
    ['nope', 'position 0'],
    ['{"a": 01}', 'expected a value'],
    ["{'prompt': 'a'}", 'field name in double quotes'],
    ['{"a": "\n"}', 'position 7'],
    ['[1,]', 'position 3'],
    ['{} {}', 'text after the end'],
  ])('says where %j stops being JSON', async (body, where) => {
    const problem = await refusal(raw(body));
    expect(problem.code).toBe(body === '' ? 'invalid_request' : 'invalid_json');
    expect(problem.detail + JSON.stringify(problem.errors)).toContain(where);
  });

  it('refuses bodies that are no UTF-8', async () => {
    expect(await refusal(raw(Uint8Array.from([0x7b, 0xff, 0x7d])))).toMatchObject({ code: 'invalid_json' });
  });

  it('names every wrong field, and what was probably meant', async () => {
    const problem = await refusal(
      bullpen.post('/v1/tasks', {
        promt: 'x',
        limits: { turn: 3, costUsd: 'lots' },
        workspace: { kind: 'path', path: 1, cpy: true },
        priority: 'high',
      }),
    );
    expect(problem.code).toBe('invalid_request');
    const byPointer = new Map(problem.errors?.map(({ pointer, detail }) => [pointer, detail]));
    expect(byPointer.get('/promt')).toContain('did you mean "prompt"');
    expect(byPointer.get('/limits/turn')).toContain('did you mean "turns"');
    expect(byPointer.get('/limits/costUsd')).toContain('US dollars');
    expect(byPointer.get('/workspace/path')).toContain('expected string');
    expect(byPointer.get('/priority')).toContain('expected number');
    expect(problem.nextActions).toBeTruthy();
  });

  it('names the limit and the setting for a body that is too large', async () => {
    const problem = await refusal(bullpen.post('/v1/tasks', { prompt: 'x'.repeat(10_000_000) }));
    expect(problem).toMatchObject({ status: 413, code: 'body_too_large' });
    expect(problem.detail).toContain('1048576');
    expect(problem.detail).toContain('BODY_LIMIT_BYTES');
  });

  it('refuses a prompt that is longer than a prompt may be', async () => {
    expect(await refusal(bullpen.post('/v1/tasks', { prompt: 'x'.repeat(400_001) }))).toMatchObject({
      errors: [{ pointer: '/prompt' }],
    });
  });

  it.each([
    ['a NUL character', '{"prompt": "a\\u0000b"}', '/prompt'],
    ['a NUL in metadata', '{"prompt": "a", "metadata": {"k": "\\u0000"}}', '/metadata/k'],
    ['half a surrogate pair', '{"prompt": "\\ud83d"}', '/prompt'],
    ['half a pair in a name', '{"prompt": "a", "input": {"\\udc00": 1}}', '/input/\ufffd'],
    ['a field __proto__', '{"prompt": "a", "input": {"__proto__": {"x": 1}}}', '/input/__proto__'],
  ])('refuses %s', async (_what, body, pointer) => {
    expect(await refusal(raw(body))).toMatchObject({ code: 'invalid_request', errors: [{ pointer }] });
  });

  it.each([
    ['{"prompt": "a", "input": {"orderId": 7203685477580719301}}', '7203685477580719301', 'column 38'],
    ['{"prompt": "a", "input": [9007199254740993]}', '9007199254740993', 'column 27'],
    ['{"prompt": "a",\n "priority": -18446744073709551617}', '-18446744073709551617', 'line 2, column 14'],
    ['{"prompt": "a", "input": 1e400}', '1e400', 'column 26'],
  ])('refuses a number that would come out as another one: %s', async (body, digits, where) => {
    const problem = await refusal(raw(body));
    expect(problem).toMatchObject({ code: 'invalid_json' });
    expect(problem.detail).toContain(where);
    expect(problem.detail).toContain(`write it as a string, "${digits}"`);
  });

  it('keeps long numbers that are exact, and digits in texts', async () => {
    const input = '{"a":9007199254740991,"b":12345678901234560000,"c":"7203685477580719301","d":0.1}';
    const response = await raw(`{"prompt": "7203685477580719301", "input": ${input}}`);
    expect(await response.text()).toContain(`"input":${input}`);
  });

  it('takes whole surrogate pairs', async () => {
    expect((await bullpen.post('/v1/tasks', { prompt: 'smile 😀' })).status).toBe(201);
  });

  it('refuses nesting without end', async () => {
    const deep = 100_000;
    const problem = await refusal(raw(`{"prompt": "x", "input": ${'['.repeat(deep)}${']'.repeat(deep)}}`));
    expect(problem.errors?.[0]?.detail).toContain('nested deeper than 64');
    expect((await refusal(raw('['.repeat(500_000)))).code).toBe('invalid_json');
  });

  it('refuses a body that cannot be stored before its Idempotency-Key is looked at', async () => {
    const deep = `${'[{"a":'.repeat(20_000)}1${'}]'.repeat(20_000)}`;
    const headers = { ...JSON_TYPE, 'idempotency-key': 'deep' };
    for (const { method, url } of bullpen.gateway.routes.routes) {
      if (method !== 'POST' || url.startsWith('/admin')) continue;
      const path = url.replace(/:\w+/g, 'task_00000000000000000000000000');
      for (const body of [deep, '{"prompt":"\\u0000"}']) {
        const problem = await refusal(bullpen.call(path, { method, body, headers }));
        expect(`${url} ${problem.code}`).toBe(`${url} invalid_request`);
        expect(problem.errors).toHaveLength(1);
      }
    }
  });

  it.each([['0000-06-01T00:00:00Z'], ['0001-01-01T00:00:00+01:00'], ['9999-12-31T23:59:59-01:00']])(
    'refuses the time %s, which not everything writes alike',
    async (time) => {
      for (const field of ['runAt', 'deadlineAt'])
        expect(await refusal(bullpen.post('/v1/tasks', { prompt: 'x', [field]: time }))).toMatchObject({
          errors: [{ pointer: `/${field}` }],
        });
      expect(await refusal(bullpen.call(`/v1/usage?from=${encodeURIComponent(time)}`))).toMatchObject({
        errors: [{ pointer: '/from' }],
      });
    },
  );

  it.each([
    ['text/plain', 'unsupported_media_type'],
    ['application/x-www-form-urlencoded', 'unsupported_media_type'],
    ['multipart/form-data; boundary=x', 'unsupported_media_type'],
    ['nonsense', 'unsupported_media_type'],
  ])('refuses %s', async (type, code) => {
    expect(await refusal(raw('prompt=x', { 'content-type': type }))).toMatchObject({ status: 415, code });
  });

  it.each([
    ['null'],
    ['5'],
    ['[]'],
    ['"text"'],
    ['{"prompt": 5}'],
    ['{"prompt": ""}'],
    ['{"prompt": "x", "priority": 1.5}'],
    ['{"prompt": "x", "runAt": "tomorrow"}'],
    ['{"prompt": "x", "runAt": "2026-13-45T00:00:00Z"}'],
    ['{"prompt": "x", "tags": ["", 1]}'],
    ['{"prompt": "x", "outputSchema": []}'],
    ['{"prompt": "x", "agent": "No Such!"}'],
    ['{"prompt": "x", "limits": {"costUsd": "-1"}}'],
    ['{"prompt": "x", "workspace": {"kind": "git"}}'],
    ['{"prompt": "x", "autonomy": "god"}'],
    ['{}'],
  ])('refuses the body %s', async (body) => {
    expect((await refusal(raw(body))).code).toBe('invalid_request');
  });

  it('says which agents there are', async () => {
    const problem = await refusal(bullpen.post('/v1/tasks', { prompt: 'x', agent: 'genral' }));
    expect(problem).toMatchObject({ status: 422, code: 'unknown_agent', errors: [{ pointer: '/agent' }] });
    expect(problem.detail).toContain('general');
  });
});

describe('routes', () => {
  it.each([
    ['GET', '/v1/nothing', 404, 'not_found'],
    ['GET', '/v1/tasks/nonsense', 404, 'not_found'],
    ['GET', '/v1/tasks/task_00000000000000000000000000', 404, 'not_found'],
    ['GET', '/v1/tasks/%00', 404, 'not_found'],
    ['GET', `/v1/tasks/${'x'.repeat(5_000)}`, 404, 'not_found'],
    ['GET', '/v1/tasks/%zz', 400, 'invalid_request'],
    ['DELETE', '/v1/tasks', 405, 'method_not_allowed'],
    ['PUT', '/v1/tasks/task_00000000000000000000000000', 405, 'method_not_allowed'],
    ['HEAD', '/healthz', 405, 'method_not_allowed'],
    ['OPTIONS', '/v1/tasks', 405, 'method_not_allowed'],
    ['GET', '/v1/tasks?limit=0', 400, 'invalid_request'],
    ['GET', '/v1/tasks?limit=abc', 400, 'invalid_request'],
    ['GET', '/v1/tasks?limit=', 400, 'invalid_request'],
    ['GET', '/v1/tasks?limit=1&limit=2', 400, 'invalid_request'],
    ['GET', '/v1/tasks?lim=1', 400, 'invalid_request'],
    ['GET', '/v1/tasks?state=done', 400, 'invalid_request'],
    ['GET', '/v1/tasks?q=%00', 400, 'invalid_request'],
    ['GET', '/v1/tasks?after=nonsense', 400, 'invalid_request'],
    [
      'GET',
      `/v1/tasks?after=${Buffer.from('["x",[1e99,"y"]]').toString('base64url')}`,
      400,
      'invalid_request',
    ],
    ['GET', '/v1/tasks?__proto__=1', 400, 'invalid_request'],
    ['GET', '/v1/usage?groupBy=hour', 400, 'invalid_request'],
    ['GET', '/v1/usage?from=yesterday', 400, 'invalid_request'],
    ['GET', '/v1/stream?after=99999999999999999999-1', 400, 'invalid_request'],
    ['GET', '/v1/stream?after=9999999999999999999-1', 400, 'invalid_request'],
  ])('%s %s → %i %s', async (method, path, status, code) => {
    const response = await bullpen.call(path, { method });
    if (method === 'HEAD') expect(response.status).toBe(status);
    else expect(await refusal(response)).toMatchObject({ status, code });
    if (status === 405) expect(response.headers.get('allow')).toMatch(/GET/);
  });

  it('suggests the query field that was meant', async () => {
    const problem = await refusal(bullpen.call('/v1/tasks?sate=queued'));
    expect(problem.errors).toEqual([{ pointer: '/sate', detail: 'unknown field; did you mean "state"?' }]);
  });

  it('refuses broken cursors of every list', async () => {
    const { id } = (await (await bullpen.post('/v1/tasks', { prompt: 'x' })).json()) as { id: string };
    for (const list of ['tool-calls', 'model-calls', 'messages', 'history/api', 'events', 'history/ui'])
      expect((await refusal(bullpen.call(`/v1/tasks/${id}/${list}?after=b2Rk`))).errors?.[0]?.pointer).toBe(
        '/after',
      );
  });

  it('refuses cursors with something else in them', async () => {
    for (let at = 0; at < 2; at += 1) await bullpen.post('/v1/tasks', { prompt: 'x' });
    const page = await (await bullpen.call('/v1/tasks?limit=1')).json();
    const { nextCursor } = page as { nextCursor: string };
    const [list, [time, id]] = JSON.parse(Buffer.from(nextCursor, 'base64url').toString()) as [
      string,
      unknown[],
    ];
    const odd = [
      [time, 'a\0'],
      [time, ''],
      [1e20, id],
      [-6.3e13, id],
      [8.64e15, id],
      [1.5, id],
      [time, '\ud800'],
      [],
    ];
    for (const key of odd) {
      const cursor = Buffer.from(JSON.stringify([list, key])).toString('base64url');
      expect(await refusal(bullpen.call(`/v1/tasks?after=${cursor}`))).toMatchObject({
        errors: [{ pointer: '/after' }],
      });
    }
  });

  it('answers odd ids on every route with a problem', async () => {
    const asked = bullpen.gateway.routes.routes.filter(
      ({ url }) => url.includes('/:') && !url.startsWith('/admin/queues/queue/'),
    );
    expect(asked.length).toBeGreaterThan(30);
    for (const { method, url } of asked)
      for (const id of [
        '%00',
        'task_%00',
        'a%2F..',
        '%F0%9F%98%80',
        'x'.repeat(90),
        '%E2%80%AE',
        '__proto__',
      ])
        await refusal(bullpen.call(url.replace(/:\w+/g, id), { method }));
  });

  it('says that a path is not percent-encoded', async () => {
    for (const path of ['/v1/tasks/%', '/v1/tasks/%ff?a=1', '/admin/queues/%zz'])
      expect(await refusal(bullpen.call(path))).toMatchObject({ errors: [{ pointer: '/path' }] });
    await refusal(bullpen.call('/admin/queues/api/queues?activeQueue=%25zz'));
    await refusal(bullpen.call('/admin/queues/api/queues?activeQueue=%zz'));
  });

  it('refuses odd jobs of the queue that there is', async () => {
    for (const id of ['%00', 'a%00b', '%F0%9F%98%80', '__proto__'])
      await refusal(bullpen.call(`/admin/queues/api/queues/bullpen-tasks/${id}`));
  });

  it('keeps a harmless request id, and makes one otherwise', async () => {
    const idFor = async (id: string) =>
      (await bullpen.call('/healthz', { headers: { 'x-request-id': id } })).headers.get('x-request-id');
    expect(await idFor('my-trace_1')).toBe('my-trace_1');
    expect(await idFor('<script>')).toMatch(/^req_/);
  });
});

describe('the wire', () => {
  const send = (text: string) =>
    new Promise<string>((resolve, reject) => {
      let answer = '';
      const socket = connect(bullpen.port, '127.0.0.1', () => socket.write(text));
      socket.on('data', (data) => (answer += data.toString()));
      socket.on('close', () => resolve(answer));
      socket.on('error', reject);
    });

  it('answers what is no HTTP with a problem', async () => {
    const answer = await send('NONSENSE\r\n\r\n');
    expect(answer).toContain('400 Bad Request');
    expect(answer).toContain('application/problem+json');
    expect(await send(`GET /${'x'.repeat(40_000)} HTTP/1.1\r\n\r\n`)).toContain(
      'urn:bullpen:problem:invalid_request',
    );
  });

  it.each([
    ['a header without end', `GET / HTTP/1.1\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`, 'longer than 16 KB'],
    ['an unknown method', 'BREW / HTTP/1.1\r\n\r\n', 'method that does not exist'],
    [
      'two lengths',
      'GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      'more than one length',
    ],
    ['a length that is none', 'GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n', 'is no number'],
    ['a chunk of no size', 'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n', 'chunk'],
  ])('says what is wrong with %s', async (_what, text, reason) => {
    const answer = await send(text);
    expect(answer).toContain('application/problem+json');
    expect(answer).toContain(reason);
  });

  it('answers a request without a Host, and one that expects what nobody knows', async () => {
    expect(await send('GET /v1/tasks HTTP/1.1\r\nConnection: close\r\n\r\n')).toMatch(
      / 403 [^]*urn:bullpen:problem:forbidden/,
    );
    expect(
      await send('GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\nConnection: close\r\n\r\n'),
    ).toContain(' 200 ');
  });

  it('does not wait for a body that never ends its promise', async () => {
    const answer = await send(
      `POST /v1/tasks HTTP/1.1\r\nHost: 127.0.0.1:${bullpen.port}\r\nAuthorization: Bearer ${bullpen.key}\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\nConnection: close\r\n\r\n{`,
    );
    expect(answer).toContain(' 413 ');
    expect(answer).toContain('body_too_large');
  });
});

describe('faults of ours', () => {
  it('hides what went wrong inside, and answers 503 when the database is away', async () => {
    const { prisma } = bullpen;
    await prisma.$executeRawUnsafe('alter table budget_accounts rename to hidden');
    const { id } = ((await (await bullpen.call('/v1/tasks?limit=1')).json()) as { data: { id: string }[] })
      .data[0] ?? { id: '' };
    const problem = await problemFrom(await bullpen.call(`/v1/tasks/${id}/usage`));
    await prisma.$executeRawUnsafe('alter table hidden rename to budget_accounts');
    expect(problem).toMatchObject({ status: 500, code: 'internal_error' });
    expect(JSON.stringify(problem)).not.toMatch(/budget|prisma|relation/i);
  });
});
