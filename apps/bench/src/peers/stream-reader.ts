/** A process that does nothing but read answers, all at the same time: `stream-reader.js sdk|ours URL COUNT`. */
import { createRequire } from 'node:module';
import { builtInProfile } from '@bullpen/core';
import { AnthropicModel } from '@bullpen/models';

/** What is used of the SDK, and as which it is loaded: it belongs to `libs/models`, and is a peer here. */
interface Sdk {
  readonly Anthropic: new (options: object) => {
    readonly messages: { create(request: object): Promise<AsyncIterable<unknown>> };
  };
}

const LANGUAGE_MODELS = new URL('../../../../libs/models/package.json', import.meta.url);
const request = {
  ...builtInProfile('claude-sonnet-5-5'),
  ...{ maxOutputTokens: 1_000, system: '', tools: [], toolChoice: { type: 'auto' as const } },
  messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Talk.' }] }],
};

/** One answer, in the form in which each gives it: the SDK's events, our chunks. */
const READERS = {
  sdk: (url: string) => {
    const { Anthropic } = createRequire(LANGUAGE_MODELS)('@anthropic-ai/sdk') as Sdk;
    const client = new Anthropic({ apiKey: 'bench', baseURL: url, maxRetries: 0 });
    const messages = [{ role: 'user', content: 'Talk.' }];
    return () => client.messages.create({ model: 'endless', max_tokens: 1_000, stream: true, messages });
  },
  ours: (url: string) => {
    const model = new AnthropicModel({ apiKey: 'bench', baseURL: url });
    return () => Promise.resolve(model.stream(request, new AbortController().signal, () => true));
  },
};

export type StreamReader = keyof typeof READERS;

function main(): void {
  const [name = '', url = '', count = ''] = process.argv.slice(2);
  const open = READERS[name as StreamReader](url);
  process.once('disconnect', () => process.exit());
  for (let n = 0; n < Number(count); n += 1) void readToItsEnd(open);
  process.send?.({ type: 'ready' });
}

async function readToItsEnd(open: () => Promise<AsyncIterable<unknown>>): Promise<void> {
  for await (const _ of await open());
  throw new Error('The answer ended');
}

main();
