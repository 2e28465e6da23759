/** Reads raw server-sent events, for specs. */

export interface SseMessage {
  readonly id: string;
  readonly event: string;
  readonly data: { type: string; seq?: number; taskId: string; cursor?: string } & Record<string, unknown>;
}

/** Opens a stream. `next` waits for the next message (null at the end); `close` hangs up. */
export function openStream(url: string, headers: Record<string, string>) {
  const controller = new AbortController();
  const comments: string[] = [];
  const response = fetch(url, { headers, signal: controller.signal });
  async function* read(): AsyncGenerator<SseMessage> {
    const { body } = await response;
    if (!body) return;
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of body) {
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      const frames = text.split('\n\n');
      text = frames.pop() ?? '';
      for (const frame of frames) {
        if (frame.startsWith(':') || frame.startsWith('retry:')) comments.push(frame);
        else yield parseFrame(frame);
      }
    }
  }
  const messages = read();
  return {
    response,
    comments,
    next: async (): Promise<SseMessage | null> => (await messages.next()).value ?? null,
    take: async (count: number): Promise<SseMessage[]> => {
      const taken: SseMessage[] = [];
      while (taken.length < count) {
        const { value, done } = await messages.next();
        if (done) break;
        taken.push(value);
      }
      return taken;
    },
    rest: async (): Promise<SseMessage[]> => {
      const rest: SseMessage[] = [];
      for await (const message of messages) rest.push(message);
      return rest;
    },
    close: () => controller.abort(),
  };
}

function parseFrame(frame: string): SseMessage {
  const fields = Object.fromEntries(
    frame.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );
  if (!('id' in fields)) throw new Error(`an event without an id: ${frame}`);
  return {
    id: fields['id'] ?? '',
    event: fields['event'] ?? '',
    data: JSON.parse(fields['data'] ?? 'null') as SseMessage['data'],
  };
}
