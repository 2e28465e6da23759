/**
 * Where the lines of a log go, written synchronously: a process that ends loses no line. A disk that is full, or a reader that is
 * gone, must not end the process that speaks. What cannot be written is lost, and the next line that can says how much that was.
 */
import { pino } from 'pino';

export function logDestination(fd: number): pino.DestinationStream {
  let lost = 0;
  let failed = false;
  let stream = open();
  function open() {
    const opened = pino.destination({ dest: fd, sync: true });
    opened.on('error', () => {
      failed = true;
      // The old one would keep the line and try again with it first, until memory is full.
      stream = open();
    });
    return opened;
  }
  const isWritten = (text: string): boolean => {
    failed = false;
    stream.write(text);
    return !failed;
  };
  return {
    write: (line) => {
      // The last one may have been cut in the middle.
      if (!isWritten(lost > 0 ? `\n${line}` : line)) lost += 1;
      else if (lost > 0 && isWritten(lostLine(line, lost))) lost = 0;
    },
  };
}

/** In the form of the line that got through. */
function lostLine(line: string, lost: number): string {
  const msg = `${lost} lines before this one could not be written and are lost`;
  if (!line.startsWith('{')) return `${msg}\n`;
  const { time, name } = JSON.parse(line) as { time?: string; name?: string };
  return `${JSON.stringify({ level: 'warn', time, name, lost, msg })}\n`;
}
