/** The provider's own count: where it helps, and how little its failures may disturb. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createServer, type RequestListener, type Server } from 'node:http';
import { builtInProfile, type ModelRequest } from '@bullpen/core';
import { startModelSim, type ModelSim } from '@bullpen/model-sim';
import { AnthropicModel } from './anthropic-model.js';
import { TokenCounter } from './count-tokens.js';

const never = new AbortController().signal;
const request: ModelRequest = {
  ...builtInProfile('claude-sonnet-5-5'),
  ...{ system: 'You are careful. '.repeat(50), toolChoice: { type: 'auto' } },
  tools: [{ name: 'read', description: 'Reads. '.repeat(50), inputSchema: { type: 'object' } }],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi.' }] }],
};

let sim: ModelSim;
const servers: Server[] = [];
beforeAll(async () => {
  sim = await startModelSim({ speed: 'max' });
});
afterAll(async () => {
  await sim.close();
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

let asked = 0;
let clock = 0;

/** A counter whose endpoint answers so. */
async function counterOf(answer: RequestListener, timeout = never): Promise<TokenCounter> {
  asked = clock = 0;
  const server = createServer((incoming, response) => {
    asked += 1;
    response.setHeader('content-type', 'application/json');
    answer(incoming, response);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return counterAt(`http://127.0.0.1:${port}`, timeout);
}

function counterAt(baseURL: string, timeout = never): TokenCounter {
  const model = new AnthropicModel({ apiKey: 'any', baseURL });
  return new TokenCounter({
    ask: (counted, signal) => model.countTokens(counted, signal),
    timeout: () => timeout,
    now: () => clock,
  });
}

const status = (code: number): RequestListener => {
  return (_incoming, response) => {
    response.writeHead(code, { 'x-should-retry': 'true' });
    response.end('{"type":"error","error":{"type":"not_found_error","message":"no"}}');
  };
};

describe("the provider's count", () => {
  it('is of the whole request, system prompt and tools too', async () => {
    const counter = counterAt(sim.url);
    const whole = await counter.count(request, never);
    const bare = await counter.count({ ...request, system: '', tools: [] }, never);
    expect(bare).toBeLessThan(20);
    expect(whole).toBeGreaterThan(300);
  });

  it.each<[string, RequestListener]>([
    ['answers 400', status(400)],
    ['answers 404', status(404)],
    ['answers 501', status(501)],
    ['answers 529', status(529)],
    ['says something else', (_incoming, response) => void response.end('{"input_tokens":"many"}')],
    ['says zero', (_incoming, response) => void response.end('{"input_tokens":0}')],
    ['breaks off', (incoming) => void incoming.socket.destroy()],
  ])('is none where the endpoint %s, and is asked for again only after a pause', async (_, answer) => {
    const counter = await counterOf(answer);
    expect(await counter.count(request, never)).toBeNull();
    expect(await counter.count(request, never)).toBeNull();
    expect(asked).toBe(1);
    clock += 11 * 60_000;
    await counter.count(request, never);
    expect(asked).toBe(2);
  });

  it('is none where the endpoint hangs, and is then asked for only after a pause as well', async () => {
    const time = new AbortController();
    const counter = await counterOf(() => time.abort(), time.signal);
    expect(await counter.count(request, never)).toBeNull();
    expect(await counter.count(request, never)).toBeNull();
    expect(asked).toBe(1);
  });

  it('is not held against the endpoint when the run itself is stopped', async () => {
    const stop = new AbortController();
    const counter = await counterOf((_incoming, response) => {
      if (stop.signal.aborted) response.end('{"input_tokens":48}');
      else stop.abort();
    });
    expect(await counter.count(request, stop.signal)).toBeNull();
    expect(await counter.count(request, never)).toBe(48);
  });

  it('is not asked for any more once it was contradicted; other profiles go on', async () => {
    const counter = await counterOf((_incoming, response) => void response.end('{"input_tokens":48}'));
    expect(await counter.count(request, never)).toBe(48);
    expect(['claude-sonnet-5-5', 'claude-sonnet-5-5'].map((name) => counter.distrust(name))).toEqual([
      true,
      false,
    ]);
    expect(await counter.count(request, never)).toBeNull();
    expect(await counter.count({ ...request, name: 'other' }, never)).toBe(48);
  });
});
