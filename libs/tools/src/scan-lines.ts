/** Goes through the lines of a file of any size without holding more than the start of one line. */

/** One line: the first bytes of it, and how many there are without the line end. */
export interface ScannedLine {
  readonly number: number;
  readonly head: Buffer;
  readonly bytes: number;
}

/** Enough for 2,000 characters of any script in UTF-8. */
const HEAD_BYTES = 8_000;

/** What may be asked of the scan while it runs. */
export interface LineScan {
  /** Line numbers from `fromLine` on, in order; ends after the last line, or with a true `stop`. */
  lines(): AsyncGenerator<ScannedLine>;
  /** True once a NUL byte was seen. */
  readonly sawNul: boolean;
  /** True when the bound on bytes ended the scan. */
  readonly hitBound: boolean;
}

/**
 * A scan over chunks. Lines before `fromLine` are only counted; from there on at most `maxBytes` are looked at, and a line
 * that the bound cuts is given with what was seen of it.
 */
export function scanLines(
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
  fromLine: number,
  maxBytes: number,
): LineScan {
  const state = { sawNul: false, hitBound: false };
  async function* lines(): AsyncGenerator<ScannedLine> {
    let number = 1;
    let head: Buffer[] = [];
    let size = 0;
    let scanned = 0;
    for await (const chunk of chunks) {
      state.sawNul ||= chunk.includes(0);
      for (let from = 0; from < chunk.length;) {
        const end = chunk.indexOf(10, from);
        const part = chunk.subarray(from, end < 0 ? chunk.length : end);
        from = end < 0 ? chunk.length : end + 1;
        if (number >= fromLine) {
          scanned += part.length + 1;
          if (size < HEAD_BYTES) head.push(part.subarray(0, HEAD_BYTES - size));
        }
        size += part.length;
        if (end >= 0) {
          if (number >= fromLine) yield { number, head: Buffer.concat(head), bytes: size };
          number += 1;
          head = [];
          size = 0;
        }
        if (scanned > maxBytes) {
          state.hitBound = true;
          if (size > 0) yield { number, head: Buffer.concat(head), bytes: size };
          return;
        }
      }
    }
    if (size > 0 && number >= fromLine) yield { number, head: Buffer.concat(head), bytes: size };
  }
  return {
    lines,
    get sawNul() {
      return state.sawNul;
    },
    get hitBound() {
      return state.hitBound;
    },
  };
}
