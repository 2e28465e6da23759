/**
 * Output on its way to watchers: soon, whole characters, and no more of it than anybody could read. Of a flood the newest part of each
 * interval is shown, so that its cost does not grow with it.
 */
import { OutputDecoder } from './output-text.js';

/** Called with text, and how many characters before it are not shown. Must not throw. */
export type ShowOutput = (text: string, skipped: number) => void;

const INTERVAL_MS = 100;
/** Bytes that are shown of one interval, at most. */
const MOST_BYTES = 16_384;

export class LiveOutput {
  private readonly decoder = new OutputDecoder();
  private waiting: Buffer[] = [];
  private waitingBytes = 0;
  private skipped = 0;
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly show: ShowOutput) {}

  push(chunk: Buffer): void {
    this.waiting.push(chunk);
    this.waitingBytes += chunk.length;
    while (this.waitingBytes - (this.waiting[0]?.length ?? 0) >= MOST_BYTES) {
      const dropped = this.waiting.shift()?.length ?? 0;
      this.waitingBytes -= dropped;
      this.skipped += dropped;
    }
    if (this.timer !== null) return;
    this.flush();
    this.timer = setInterval(() => this.tick(), INTERVAL_MS).unref();
  }

  end(): void {
    this.flush();
    if (this.timer !== null) clearInterval(this.timer);
    this.timer = null;
    const rest = this.decoder.end();
    if (rest !== '') this.show(rest, 0);
  }

  private tick(): void {
    if (this.waitingBytes > 0) return this.flush();
    // Quiet for an interval: the next piece is shown at once again.
    if (this.timer !== null) clearInterval(this.timer);
    this.timer = null;
  }

  private flush(): void {
    const whole = this.waiting.length === 1 ? (this.waiting[0] as Buffer) : Buffer.concat(this.waiting);
    const from = whole.length > MOST_BYTES || this.skipped > 0 ? nextLine(whole) : 0;
    const skipped = this.skipped + from;
    this.waiting = [];
    this.waitingBytes = 0;
    if (skipped > 0) this.decoder.reset();
    const text = this.decoder.write(whole.subarray(from));
    this.skipped = text === '' ? skipped : 0;
    if (text !== '') this.show(text, skipped);
  }
}

/** Where the newest lines begin that may be shown. After a gap only whole lines: of half a value nobody could tell that it is secret. */
function nextLine(bytes: Buffer): number {
  const least = Math.max(0, bytes.length - MOST_BYTES);
  const ends = [bytes.indexOf(0x0a, least), bytes.indexOf(0x0d, least)].filter((at) => at >= 0);
  return ends.length === 0 ? bytes.length : Math.min(...ends) + 1;
}
