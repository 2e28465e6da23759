import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { startModelSim, type ModelSim } from '../start-model-sim.js';
import {
  aRequest,
  assemble,
  aUser,
  A_TOOL,
  parseSse,
  post,
  stream,
  streamText,
  type SseEvent,
} from '../testing/api-client.js';
import { Fault, type FaultKind } from './fault.js';

const TEXT = 'Grüße 세계 🎉 und mehr Text, damit es einige Stücke gibt.';
const REQUEST = aRequest({ tools: [A_TOOL] });

let sim: ModelSim;

beforeEach(async () => {
  const script = () => ({
    text: TEXT,
    toolCalls: [{ name: 'look', input: { at: 'a rather long input, 조금 길게' } }],
  });
  sim = await startModelSim({ speed: 'max', scenarios: [{ name: 'test', agents: {}, default: script }] });
});

afterEach(() => sim.close());

async function eventsWith(fault: Fault): Promise<SseEvent[]> {
  sim.injectFaults([fault]);
  return stream(sim, REQUEST);
}

function names(events: readonly SseEvent[]): string[] {
  return events.map(({ event }) => event);
}

it('the README lists every fault, and those that there are alone', async () => {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  const table = /## Faults[\s\S]*?\n\| what goes wrong[\s\S]*?\n\n/.exec(readme)?.[0] ?? '';
  const cells = table.split('\n').flatMap((row) => row.split('|').slice(2, 3));
  const listed = cells.flatMap((cell) => [...cell.replace(/\([^)]*\)/g, '').matchAll(/`(\w+)`/g)]);
  const kinds = Fault.options.map(({ shape }) => [...shape.kind.values][0]);
  expect(listed.map(([, kind]) => kind).sort()).toEqual([...kinds].sort());
});

describe('faults that answer with an error', () => {
  it.each<[Fault, number, string]>([
    [{ kind: 'rate_limit' }, 429, 'rate_limit_error'],
    [{ kind: 'overloaded' }, 529, 'overloaded_error'],
    [{ kind: 'server_error' }, 500, 'api_error'],
    [{ kind: 'timeout_error' }, 504, 'timeout_error'],
    [{ kind: 'authentication_error' }, 401, 'authentication_error'],
    [{ kind: 'billing_error' }, 402, 'billing_error'],
    [{ kind: 'permission_error' }, 403, 'permission_error'],
    [{ kind: 'conflict_error' }, 409, 'conflict_error'],
    [{ kind: 'prompt_too_long' }, 400, 'invalid_request_error'],
    [{ kind: 'spend_limit' }, 400, 'invalid_request_error'],
  ])('%j', async (fault, status, type) => {
    sim.injectFaults([fault]);
    const response = await post(sim, { ...REQUEST, stream: true });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({
      type: 'error',
      error: { type },
      request_id: expect.stringMatching(/^req_sim_/),
    });
    expect(sim.requests()).toMatchObject([{ status, outcome: 'refused', fault: fault.kind, usage: null }]);
    expect((await post(sim, REQUEST)).status).toBe(200);
  });

  it('rate_limit says when to come back only if it is told to', async () => {
    sim.injectFaults([{ kind: 'rate_limit', retryAfterSeconds: 7 }, { kind: 'rate_limit' }]);
    expect((await post(sim, REQUEST)).headers.get('retry-after')).toBe('7');
    expect((await post(sim, REQUEST)).headers.get('retry-after')).toBeNull();
  });

  it.each<[FaultKind & ('html_200' | 'html_403' | 'request_too_large'), number]>([
    ['html_200', 200],
    ['html_403', 403],
    ['request_too_large', 413],
  ])('%s is a page that does not come from the API', async (kind, status) => {
    sim.injectFaults([{ kind }]);
    const response = await post(sim, REQUEST);
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toContain('text/html');
    expect(response.headers.get('request-id')).toBeNull();
    expect(await response.text()).toMatch(/^<!doctype html>/);
  });
});

describe('faults of the message', () => {
  it('max_tokens_mid_json ends the tool input in the middle', async () => {
    const events = await eventsWith({ kind: 'max_tokens_mid_json' });
    const json = events
      .map(({ data }) => (data['delta'] as { partial_json?: string } | undefined)?.partial_json ?? '')
      .join('');
    expect(json.length).toBeGreaterThan(3);
    expect(() => JSON.parse(json) as unknown).toThrow();
    expect(events.find(({ event }) => event === 'message_delta')?.data['delta']).toMatchObject({
      stop_reason: 'max_tokens',
    });
    expect(names(events).at(-1)).toBe('message_stop');
  });

  it('refusal_after_tool_use refuses with a call already made', async () => {
    const { content, stopReason } = assemble(await eventsWith({ kind: 'refusal_after_tool_use' }));
    expect(content.map(({ type }) => type)).toEqual(['text', 'tool_use']);
    expect(stopReason).toBe('refusal');
  });

  it('pause_turn is continued by sending the turn back', async () => {
    const { content, stopReason } = assemble(await eventsWith({ kind: 'pause_turn' }));
    expect(stopReason).toBe('pause_turn');
    expect(content.map(({ type }) => type)).toEqual(['text', 'server_tool_use']);
    const next = await stream(sim, {
      ...REQUEST,
      messages: [aUser('Say hello.'), { role: 'assistant', content }],
    });
    expect(assemble(next).stopReason).toBe('tool_use');
    expect(sim.requests().map(({ turnIndex }) => turnIndex)).toEqual([0, 0]);
  });

  it('empty_end_turn has no content', async () => {
    const events = await eventsWith({ kind: 'empty_end_turn' });
    expect(names(events)).toEqual(['message_start', 'message_delta', 'message_stop']);
    expect(assemble(events)).toMatchObject({ stopReason: 'end_turn', usage: { output_tokens: 2 } });
  });

  it('duplicate_tool_ids gives two calls one id', async () => {
    const { content } = assemble(await eventsWith({ kind: 'duplicate_tool_ids' }));
    const ids = content.flatMap(({ id }) => id ?? []);
    expect(ids).toHaveLength(2);
    expect(ids[0]).toBe(ids[1]);
  });

  it('parallel_tools makes as many calls as it is told to, each with an id of its own', async () => {
    const { content, stopReason } = assemble(await eventsWith({ kind: 'parallel_tools', count: 3 }));
    expect(content.map(({ type }) => type)).toEqual(['text', 'tool_use', 'tool_use', 'tool_use']);
    expect(new Set(content.flatMap(({ id }) => id ?? [])).size).toBe(3);
    expect(stopReason).toBe('tool_use');
  });

  it("server_tool_beside_tools puts one of the provider's calls between two of the client's", async () => {
    const { content } = assemble(await eventsWith({ kind: 'server_tool_beside_tools' }));
    expect(content.map(({ type }) => type)).toEqual(['text', 'tool_use', 'server_tool_use', 'tool_use']);
  });
});

describe('count_tokens_drift', () => {
  const count = async (): Promise<number> => {
    const { max_tokens: _, ...counted } = REQUEST;
    const response = await post(sim, counted, { path: '/v1/messages/count_tokens' });
    return ((await response.json()) as { input_tokens: number }).input_tokens;
  };

  it('makes a count differ from what is billed, and leaves messages alone', async () => {
    const exact = await count();
    sim.injectFaults([{ kind: 'count_tokens_drift', share: 0.03, times: 2 }, { kind: 'overloaded' }]);
    expect((await post(sim, REQUEST)).status).toBe(529);
    expect([await count(), await count(), await count()]).toEqual([
      Math.round(exact * 1.03),
      Math.round(exact * 1.03),
      exact,
    ]);
  });

  it('can be asked for by a script', async () => {
    const exact = await count();
    await sim.close();
    const fault: Fault = { kind: 'count_tokens_drift', share: -0.03 };
    sim = await startModelSim({
      speed: 'max',
      scenarios: [{ name: 'test', agents: {}, default: () => ({ text: 'Hi.', fault }) }],
    });
    expect(await count()).toBe(Math.round(exact * 0.97));
    expect((await post(sim, REQUEST)).status).toBe(200);
  });
});

describe('faults of the stream', () => {
  it('error_event_first opens the stream with an error and costs nothing', async () => {
    const events = await eventsWith({ kind: 'error_event_first' });
    expect(events).toEqual([
      {
        event: 'error',
        data: { type: 'error', error: { details: null, type: 'overloaded_error', message: 'Overloaded' } },
      },
    ]);
    expect(sim.requests()[0]).toMatchObject({ status: 200, outcome: 'cut', usage: null });
  });

  it.each([
    ['error_event_mid_text', 'text_delta'],
    ['error_event_mid_json', 'input_json_delta'],
  ] as const)('%s ends after some %s', async (kind, deltaType) => {
    const events = await eventsWith({ kind, errorType: 'api_error', message: 'Oops' });
    const last = events.at(-2)?.data['delta'];
    expect(last).toMatchObject({ type: deltaType });
    expect(events.at(-1)?.data).toMatchObject({
      type: 'error',
      error: { type: 'api_error', message: 'Oops' },
    });
    expect(sim.requests()[0]).toMatchObject({ outcome: 'cut', usage: { output_tokens: expect.any(Number) } });
  });

  it('eof_without_message_stop ends with message_delta', async () => {
    expect(names(await eventsWith({ kind: 'eof_without_message_stop' })).at(-1)).toBe('message_delta');
    expect(sim.requests()[0]?.outcome).toBe('cut');
  });

  it.each([0, 1, 100, 501])('eof_at_byte ends after exactly %i bytes', async (at) => {
    sim.injectFaults([{ kind: 'eof_at_byte', at }]);
    const response = await post(sim, { ...REQUEST, stream: true });
    expect((await response.arrayBuffer()).byteLength).toBe(at);
    expect(sim.requests()[0]?.outcome).toBe('cut');
  });

  it('eof_at_byte breaks the connection when told to', async () => {
    sim.injectFaults([{ kind: 'eof_at_byte', at: 100, reset: true }]);
    const response = await post(sim, { ...REQUEST, stream: true });
    await expect(response.text()).rejects.toThrow();
  });

  it('stall sends pings while nothing else comes, then goes on', async () => {
    const started = performance.now();
    const events = await eventsWith({ kind: 'stall', ms: 90, everyMs: 30 });
    expect(performance.now() - started).toBeGreaterThanOrEqual(85);
    expect(names(events).filter((name) => name === 'ping')).toHaveLength(4);
    expect(assemble(events).content[0]).toMatchObject({ text: TEXT });
  });

  it('stall can be silent', async () => {
    const events = await eventsWith({ kind: 'stall', ms: 20, pings: false });
    expect(names(events).filter((name) => name === 'ping')).toHaveLength(1);
  });

  it('slow_first_byte is late, also without streaming', async () => {
    const started = performance.now();
    sim.injectFaults([{ kind: 'slow_first_byte', ms: 60 }]);
    expect((await post(sim, REQUEST)).status).toBe(200);
    expect(performance.now() - started).toBeGreaterThanOrEqual(55);
  });

  it('unknown_event puts in an event that no one knows', async () => {
    const events = await eventsWith({ kind: 'unknown_event' });
    expect(names(events)[1]).toBe('simulated_future_event');
    expect(assemble(events).content[0]).toMatchObject({ text: TEXT });
  });

  it('duplicate_message_delta repeats the cumulative usage', async () => {
    const deltas = (await eventsWith({ kind: 'duplicate_message_delta' })).filter(
      ({ event }) => event === 'message_delta',
    );
    expect(deltas).toHaveLength(2);
    expect(deltas[0]).toEqual(deltas[1]);
  });

  it('crlf ends each line that way and changes nothing else', async () => {
    sim.injectFaults([{ kind: 'crlf' }]);
    const text = await streamText(sim, REQUEST);
    expect(text.replaceAll('\r\n', '')).not.toContain('\n');
    expect(assemble(parseSse(text)).content[0]).toMatchObject({ text: TEXT });
  });

  it('split_utf8 ends HTTP chunks inside characters and lines, and loses nothing', async () => {
    sim.injectFaults([{ kind: 'split_utf8' }]);
    const chunks = await rawChunks(sim, { ...REQUEST, stream: true });
    const isWhole = (bytes: Buffer): boolean => Buffer.from(bytes.toString()).equals(bytes);
    expect(chunks.some((chunk) => !isWhole(chunk))).toBe(true);
    expect(chunks.some((chunk) => chunk.toString() === 'eve')).toBe(true);
    expect(assemble(parseSse(Buffer.concat(chunks).toString())).content[0]).toMatchObject({ text: TEXT });
  });
});

describe('POST /sim/faults', () => {
  it('queues faults for the named agent and drops them on DELETE', async () => {
    const next = [{ kind: 'overloaded', agent: 'b', times: 2 }];
    expect((await post(sim, { next }, { path: '/sim/faults' })).status).toBe(200);
    const statusOf = async (agent: string): Promise<number> =>
      (await post(sim, { ...REQUEST, system: `Agent: ${agent}` })).status;
    expect([await statusOf('a'), await statusOf('b')]).toEqual([200, 529]);
    await fetch(`${sim.url}/sim/faults`, { method: 'DELETE' });
    expect(await statusOf('b')).toBe(200);
    const log = (await (await fetch(`${sim.url}/sim/requests`)).json()) as { requests: unknown };
    expect(log.requests).toEqual(sim.requests());
  });

  it('names the field that is wrong', async () => {
    const response = await post(sim, { next: [{ kind: 'stall' }] }, { path: '/sim/faults' });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('next.0.ms');
  });
});

describe('a fault in a script', () => {
  it('is served for the given number of tries of a turn, then the reply comes', async () => {
    await sim.close();
    const fault: Fault = { kind: 'overloaded', times: 2 };
    sim = await startModelSim({
      speed: 'max',
      scenarios: [{ name: 'test', agents: {}, default: () => ({ text: 'Hi.', fault }) }],
    });
    const statuses = [];
    for (let attempt = 0; attempt < 3; attempt += 1) statuses.push((await post(sim, REQUEST)).status);
    expect(statuses).toEqual([529, 529, 200]);
    sim.clearFaults(); // Those that were queued: this one was served, and stays so.
    expect((await post(sim, REQUEST)).status).toBe(200);
  });
});

/** The chunks of the HTTP body as they are framed on the wire: a client library may join them. */
async function rawChunks({ port }: ModelSim, body: object): Promise<Buffer[]> {
  const json = Buffer.from(JSON.stringify(body));
  const socket = connect(port, '127.0.0.1');
  socket.write(
    `POST /v1/messages HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-api-key: x\r\nanthropic-version: 2023-06-01\r\ncontent-type: application/json\r\ncontent-length: ${json.length}\r\n\r\n`,
  );
  socket.write(json);
  const received: Buffer[] = [];
  for await (const data of socket) received.push(data as Buffer);
  const all = Buffer.concat(received);
  const chunks: Buffer[] = [];
  for (let at = all.indexOf('\r\n\r\n') + 4; ;) {
    const lineEnd = all.indexOf('\r\n', at);
    const size = Number.parseInt(all.subarray(at, lineEnd).toString(), 16);
    if (!(size > 0)) return chunks;
    chunks.push(all.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
}
