import { afterEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sha256 } from '../canonical-json.js';
import type { Reply } from '../scenario.js';
import { startModelSim, type ModelSim, type ModelSimOptions } from '../start-model-sim.js';
import {
  aRequest,
  assemble,
  aUser,
  A_TOOL,
  errorOf,
  post,
  stream,
  streamText,
} from '../testing/api-client.js';

const TEXT = 'Héllo 세계 🎉, this is a longer answer that takes several pieces.';
const REPLY: Reply = {
  thinking: 'Hm, 생각.',
  text: TEXT,
  toolCalls: [
    { name: 'look', input: { where: 'left ← 왼쪽' } },
    { name: 'look', input: {} },
  ],
};

let sim: ModelSim;

async function start(reply: Reply, options: ModelSimOptions = {}): Promise<ModelSim> {
  sim = await startModelSim({
    speed: 'max',
    scenarios: [{ name: 'test', agents: {}, default: () => reply }],
    ...options,
  });
  return sim;
}

/** Polls: the simulator logs a broken connection when the system tells it. */
async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 5_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error('condition not met in 5 s');
    await new Promise((resolve) => setImmediate(resolve));
  }
}

afterEach(() => sim.close());

describe('POST /v1/messages as a stream', () => {
  it('sends the events in the order of the API', async () => {
    await start(REPLY);
    const events = await stream(sim, aRequest({ tools: [A_TOOL] }));
    const names = events.map(({ event }) => event);
    expect(names.filter((name, index) => name !== names[index - 1])).toEqual([
      'message_start',
      'content_block_start',
      'ping',
      ...Array.from({ length: 3 }, () => [
        'content_block_delta',
        'content_block_stop',
        'content_block_start',
      ]).flat(),
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    expect(events.every(({ event, data }) => event === data['type'])).toBe(true);
    expect(events[0]?.data['message']).toMatchObject({
      content: [],
      stop_reason: null,
      usage: { output_tokens: 1 },
    });
  });

  it('adds up to what the script said, piece by piece', async () => {
    await start(REPLY);
    const events = await stream(sim, aRequest({ tools: [A_TOOL] }));
    const { content, stopReason } = assemble(events);
    expect(stopReason).toBe('tool_use');
    expect(content).toEqual([
      { type: 'thinking', thinking: 'Hm, 생각.', signature: expect.stringMatching(/^sim1\.msg_sim_/) },
      { type: 'text', text: TEXT },
      {
        type: 'tool_use',
        id: expect.stringMatching(/^toolu_[a-zA-Z0-9]+$/),
        name: 'look',
        input: { where: 'left ← 왼쪽' },
      },
      { type: 'tool_use', id: expect.stringMatching(/^toolu_/), name: 'look', input: {} },
    ]);
    const deltas = events.map(({ data }) => data['delta'] as Record<string, string> | undefined);
    expect(deltas.filter((delta) => delta?.['type'] === 'text_delta').length).toBeGreaterThan(2);
    expect(deltas.find((delta) => delta?.['type'] === 'input_json_delta')?.['partial_json']).toBe('');
    const ids = content.flatMap(({ id }) => id ?? []);
    expect(new Set(ids).size).toBe(2);
  });

  it('serves the same content without streaming', async () => {
    await start(REPLY);
    const streamed = assemble(await stream(sim, aRequest({ tools: [A_TOOL] })));
    const response = await post(sim, aRequest({ tools: [A_TOOL] }));
    const message = (await response.json()) as Record<string, unknown>;
    const plain = (content: unknown): unknown =>
      JSON.parse(JSON.stringify(content).replace(/"(id|signature)":"[^"]*"/g, '"$1":"-"'));
    expect(plain(message['content'])).toEqual(plain(streamed.content));
    expect(message).toMatchObject({
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-5-5',
      stop_reason: 'tool_use',
    });
    expect(response.headers.get('x-simulated')).toBe('bullpen-model-sim');
    expect(response.headers.get('request-id')).toMatch(/^req_sim_/);
    expect(response.headers.get('anthropic-ratelimit-requests-remaining')).toBe('3998');
  });

  it('accepts its own turn back, and hides thinking that is to be omitted', async () => {
    await start(REPLY);
    const request = aRequest({ tools: [A_TOOL], thinking: { type: 'adaptive', display: 'omitted' } });
    const { content } = assemble(await stream(sim, request));
    expect(content[0]).toMatchObject({ type: 'thinking', thinking: '' });
    const results = content.flatMap(({ id }) =>
      id === undefined ? [] : [{ type: 'tool_result', tool_use_id: id }],
    );
    const messages = [
      aUser('Say hello.'),
      { role: 'assistant', content },
      { role: 'user', content: results },
    ];
    expect((await post(sim, { ...request, messages })).status).toBe(200);
  });

  it('cuts an answer at max_tokens and bills only that', async () => {
    await start({ text: 'x'.repeat(3_500) });
    const { content, stopReason, usage } = assemble(await stream(sim, aRequest({ max_tokens: 100 })));
    expect(stopReason).toBe('max_tokens');
    expect(String(content[0]?.['text']).length).toBeLessThanOrEqual(350);
    expect((usage as { output_tokens: number }).output_tokens).toBeLessThanOrEqual(100);
  });

  it('takes its time at normal speed, scaled by the speed', async () => {
    await start({ text: TEXT }, { speed: 10 });
    const started = performance.now();
    await streamText(sim, aRequest());
    // At speed 1 the first byte alone takes 250 ms, and the text at least 100 ms more.
    expect(performance.now() - started).toBeGreaterThanOrEqual(33);
  });
});

describe('an answer that has to fit a schema', () => {
  const schema = {
    type: 'object',
    additionalProperties: false,
    required: ['city', 'people', 'tags'],
    properties: {
      city: { type: 'string' },
      people: { type: 'integer', minimum: 3 },
      tags: { type: 'array', minItems: 1, items: { enum: ['big', 'old'] } },
    },
  };
  const format = { type: 'json_schema' as const, schema };
  const textOf = async (body: Record<string, unknown>): Promise<string> =>
    String(assemble(await stream(sim, body)).content.at(-1)?.['text']);

  it('is JSON of that form, whatever the script has to say', async () => {
    await start({ thinking: 'Hm.', text: TEXT });
    const made = { city: 'simulated', people: 3, tags: ['big'] };
    expect(JSON.parse(await textOf(aRequest({ output_config: { format } })))).toEqual(made);
    expect(JSON.parse(await textOf(aRequest({ output_format: format })))).toEqual(made);
    const whole = (await (await post(sim, aRequest({ output_config: { format } }))).json()) as {
      content: { type: string; text: string }[];
      stop_reason: string;
    };
    expect(whole.stop_reason).toBe('end_turn');
    expect(JSON.parse(whole.content.at(-1)?.text ?? '')).toEqual(made);
    expect(await textOf(aRequest({ output_config: { effort: 'low', format: null } }))).toBe(TEXT);
  });

  it('is what the script says when that is JSON, and comes after the tools were called', async () => {
    await start({ text: '{"city":"Rome","people":5,"tags":["old"]}' });
    expect(await textOf(aRequest({ output_config: { format } }))).toContain('Rome');
    await sim.close();
    await start(REPLY);
    const calls = assemble(await stream(sim, aRequest({ tools: [A_TOOL], output_config: { format } })));
    expect(calls.stopReason).toBe('tool_use');
    expect(calls.content[1]).toEqual({ type: 'text', text: TEXT });
  });

  it('is refused for a schema that the API refuses', async () => {
    await start({ text: TEXT });
    const open = { type: 'object', properties: { a: { ...schema, additionalProperties: undefined } } };
    for (const [body, message] of [
      [
        { output_config: { format: { type: 'json_schema', schema: open } } },
        "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false",
      ],
      [
        { output_format: { type: 'json_schema', schema: { ...open, additionalProperties: false } } },
        "output_format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false",
      ],
      [
        { output_config: { format }, output_format: format },
        'output_format: Cannot be given together with output_config.format',
      ],
      [{ output_config: { format: { type: 'json_schema' } } }, 'output_config.format.schema: Field required'],
    ] as const)
      expect(await errorOf(await post(sim, { ...aRequest(), ...body }))).toEqual({
        status: 400,
        type: 'invalid_request_error',
        message,
      });
    expect((await post(sim, { ...aRequest(), output_config: { format: { type: 'xml' } } })).status).toBe(400);
  });
});

describe('the request log', () => {
  it('has an entry for each request by the time its answer is there', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sim-log-'));
    const logFile = join(folder, 'requests.jsonl');
    await start({ text: 'Hi.' }, { logFile });
    const body = JSON.stringify(aRequest({ system: 'Agent: someone\nBe nice.' }));
    const response = await post(sim, body);
    const { usage, id } = (await response.json()) as { usage: unknown; id: string };
    await post(sim, aRequest({ model: 'other' }));
    const entries = readFileSync(logFile, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    rmSync(folder, { recursive: true });
    expect(entries).toEqual(sim.requests());
    expect(entries[0]).toMatchObject({
      seq: 1,
      status: 200,
      outcome: 'completed',
      agent: 'someone',
      messageId: id,
      usage,
      turnIndex: 0,
    });
    expect(entries[0]?.['bodySha256']).toBe(sha256(body));
    expect(entries[0]?.['requestId']).toBe(response.headers.get('request-id'));
    expect(entries[1]).toMatchObject({
      seq: 2,
      status: 404,
      outcome: 'refused',
      usage: null,
      error: 'model: other',
    });
  });

  it('bills a client that leaves in the middle for what was sent until then', async () => {
    await start({ text: 'word '.repeat(2_000), fault: { kind: 'stall', ms: 60_000, pings: false } });
    const leaving = new AbortController();
    const response = await post(sim, { ...aRequest(), stream: true }, { signal: leaving.signal });
    await response.body?.getReader().read();
    leaving.abort();
    await until(() => sim.requests().length === 1);
    const [entry] = sim.requests();
    expect(entry).toMatchObject({ outcome: 'aborted', status: 200 });
    expect(entry?.usage?.output_tokens).toBeGreaterThan(0);
    expect(entry?.usage?.output_tokens).toBeLessThan(100);
  });

  it('bills nothing when the client leaves before the first byte', async () => {
    await start({ text: 'Hi.' });
    sim.injectFaults([{ kind: 'slow_first_byte', ms: 60_000 }]);
    const leaving = new AbortController();
    const answer = post(sim, { ...aRequest(), stream: true }, { signal: leaving.signal });
    const isTaken = async (): Promise<boolean> =>
      (await (await fetch(`${sim.url}/sim/faults`)).text()) === '{"next":[]}';
    while (!(await isTaken()));
    leaving.abort();
    await expect(answer).rejects.toThrow();
    await until(() => sim.requests().length === 1);
    expect(sim.requests()[0]).toMatchObject({ outcome: 'aborted', status: 499, usage: null });
  });

  it('has an aborted entry for a stream that is open when the simulator stops', async () => {
    await start({ text: 'Hi.', fault: { kind: 'stall', ms: 60_000 } });
    const response = await post(sim, { ...aRequest(), stream: true });
    await sim.close();
    await expect(response.text()).rejects.toThrow();
    await until(() => sim.requests().length === 1);
    expect(sim.requests()[0]).toMatchObject({ outcome: 'aborted' });
  });
});

describe('what is refused before the validator', () => {
  it('wants credentials, but any will do', async () => {
    await start({ text: 'Hi.' });
    expect(await errorOf(await post(sim, aRequest(), { headers: {} }))).toEqual({
      status: 401,
      type: 'authentication_error',
      message: 'x-api-key header is required',
    });
    expect((await post(sim, aRequest(), { headers: { authorization: 'Bearer x' } })).status).toBe(200);
  });

  it('answers in the error format of the API to an unknown path, bad JSON and a body over 32 MB', async () => {
    await start({ text: 'Hi.' });
    const unknown = await post(sim, {}, { path: '/v1/other' });
    const requestId = unknown.headers.get('request-id');
    expect(await unknown.json()).toEqual({
      type: 'error',
      error: { type: 'not_found_error', message: 'Not Found' },
      request_id: requestId,
    });
    expect(await errorOf(await post(sim, '{"model":'))).toMatchObject({
      status: 400,
      type: 'invalid_request_error',
    });
    const huge = await post(sim, aRequest({ messages: [aUser('x'.repeat(33 * 1024 * 1024))] }));
    expect(await errorOf(huge)).toEqual({
      status: 413,
      type: 'request_too_large',
      message: 'Request exceeds the maximum size',
    });
  });

  it('refuses half a character, which the escapes of JSON can say but the API does not take', async () => {
    await start({ text: 'hi' });
    const wrong = JSON.stringify(aRequest({ messages: [aUser('half \ud83d')] }));
    expect(wrong).toContain('\\ud83d');
    expect(await errorOf(await post(sim, wrong))).toEqual({
      status: 400,
      type: 'invalid_request_error',
      message: 'The request body is not valid JSON: no low surrogate in string',
    });
  });

  it('names scenario, agent and turn when a script has nothing to say', async () => {
    await start({});
    const error = await errorOf(await post(sim, aRequest({ system: 'Agent: mute' })));
    expect(error.message).toBe(
      'model-sim: scenario "test", agent "mute", turn 0: the reply has neither text nor tool calls',
    );
  });
});

describe('POST /v1/messages/count_tokens', () => {
  it('counts what a message request is then billed for', async () => {
    await start({ text: 'Hi.' });
    const { max_tokens: _dropped, ...counted } = aRequest({ system: 'Be nice.', tools: [A_TOOL] });
    const count = (await (await post(sim, counted, { path: '/v1/messages/count_tokens' })).json()) as {
      input_tokens: number;
    };
    const message = (await (await post(sim, aRequest(counted))).json()) as {
      usage: { input_tokens: number };
    };
    expect(count.input_tokens).toBe(message.usage.input_tokens);
    expect(count.input_tokens).toBeGreaterThan(10);
  });
});
