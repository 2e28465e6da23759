/** What is typed while the keyboard is raw. */
import type { Terminal } from '../../io.js';

type Input = Terminal['input'];

/** What has each keyboard now, or had it last. */
const users = new WeakMap<Input, Promise<unknown>>();

/** Letters come one by one, lines do not wait for Enter, and Ctrl-C is no signal while `use` runs. One caller at a time has the keyboard. */
export function withRawKeyboard<T>(input: Input, use: () => Promise<T>): Promise<T> {
  const before = users.get(input) ?? Promise.resolve();
  const mine = before.then(() => useRaw(input, use));
  users.set(
    input,
    mine.catch(() => undefined),
  );
  return mine;
}

async function useRaw<T>(input: Input, use: () => Promise<T>): Promise<T> {
  input.setRawMode(true);
  input.resume();
  try {
    return await use();
  } finally {
    input.pause();
    input.setRawMode(false);
  }
}

/** `heard` gets what comes, and null once nothing has come for `pauseMs`. Gives the function that ends it. */
export function listen(input: Input, pauseMs: number, heard: (chunk: Buffer | null) => void): () => void {
  let timer: NodeJS.Timeout | null = null;
  const onData = (chunk: Buffer | string): void => {
    if (timer !== null) clearTimeout(timer);
    timer = setTimeout(() => heard(null), pauseMs);
    heard(Buffer.from(chunk));
  };
  input.on('data', onData);
  return () => {
    if (timer !== null) clearTimeout(timer);
    input.off('data', onData);
  };
}

const CTRL_C = 0x03;

/** Throws away what is typed until nothing has come for `quietMs`; false when Ctrl-C was among it. */
export function silence(input: Input, quietMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (quiet: boolean): void => {
      clearTimeout(first);
      stop();
      resolve(quiet);
    };
    const first = setTimeout(() => end(true), quietMs);
    const stop = listen(input, quietMs, (chunk) => {
      clearTimeout(first);
      if (chunk === null) end(true);
      else if (chunk.includes(CTRL_C)) end(false);
    });
  });
}
