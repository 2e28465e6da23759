/**
 * A Messages API whose answers never end: each grows by so many pieces a second for as long as it is read. What is measured while
 * tasks stream can so take as long as it likes.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface EndlessModel {
  readonly url: string;
  /** Answers that are being read. */
  open(): number;
  /** Pieces that were written so far, of all of them together. */
  pieces(): number;
  close(): Promise<void>;
}

/** They do not all come at the same moment. */
const GROUPS = 4;

const START = [
  {
    type: 'message_start',
    message: {
      ...{ id: 'msg_endless', type: 'message', role: 'assistant', model: 'endless', content: [] },
      ...{ stop_reason: null, usage: { input_tokens: 10, output_tokens: 1 } },
    },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
];
const PIECE = recordOf({
  type: 'content_block_delta',
  index: 0,
  delta: { type: 'text_delta', text: 'one word ' },
});

/** Starts one on a free port. */
export async function startEndlessModel(perSecond: number): Promise<EndlessModel> {
  const open = new Set<ServerResponse>();
  let [ticks, pieces] = [0, 0];
  const server = createServer((asked, answer) => {
    asked.resume().on('end', () => {
      answer.writeHead(200, { 'content-type': 'text/event-stream', 'x-simulated': 'true' });
      answer.write(START.map(recordOf).join(''));
      open.add(answer);
      answer.on('close', () => open.delete(answer));
    });
  });
  const tick = (): void => {
    let at = ticks++;
    for (const answer of open) {
      if (at++ % GROUPS !== 0) continue;
      answer.write(PIECE);
      pieces += 1;
    }
  };
  const startedAt = performance.now();
  // What a busy process missed is made up for.
  const timer = setInterval(
    () => {
      const due = ((performance.now() - startedAt) / 1_000) * perSecond * GROUPS;
      while (ticks < due) tick();
    },
    1_000 / (perSecond * GROUPS),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    open: () => open.size,
    pieces: () => pieces,
    close: async () => {
      clearInterval(timer);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function recordOf(event: { readonly type: string } & Readonly<Record<string, unknown>>): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
