/** Values for the specs of this library. */
import { Writable } from 'node:stream';
import type { AnnouncedWake, BusMessage, LiveDelta } from '@bullpen/contracts';
import { createLogger, newId, type Logger } from '@bullpen/platform';

export function aWake(over: Partial<AnnouncedWake> = {}): AnnouncedWake {
  return { taskId: newId('task'), wake: 1, tries: 0, ...over };
}

export function rows(taskId: string, seq: number): BusMessage {
  return { kind: 'rows', tenantId: 'acme', rootId: taskId, taskId, seq };
}

export function aDelta(
  over: { taskId?: string; messageId?: string; offset?: number; text?: string; afterSeq?: number } = {},
): LiveDelta {
  const { taskId = 'task-1', messageId = 'm1', offset = 0, text = 'hi', afterSeq = 3 } = over;
  return { type: 'message.delta', taskId, rootId: taskId, afterSeq, data: { messageId, offset, text } };
}

export function deltaMessage(delta: LiveDelta): BusMessage {
  return { kind: 'delta', tenantId: 'acme', delta };
}

export interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** A logger and the lines that were written to it. */
export function recordingLogger(): { logger: Logger; lines: LogLine[] } {
  const lines: LogLine[] = [];
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(JSON.parse(chunk.toString()) as LogLine);
      done();
    },
  });
  return { logger: createLogger({ name: 'test', level: 'debug', destination }), lines };
}
