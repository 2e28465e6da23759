/** The text of a delta, whatever its type calls it: deltas are put together, and split anywhere. */
import { assertNever, type LiveDelta } from '@bullpen/contracts';

/** The piece of text that the delta adds. */
export function deltaText(delta: LiveDelta): string {
  return delta.type === 'tool.generating' ? delta.data.json : delta.data.text;
}

/** Which growing text the delta belongs to: the same key means the same message, reasoning, arguments or output. */
export function deltaStream(delta: LiveDelta): string {
  switch (delta.type) {
    case 'message.delta':
    case 'reasoning.delta':
      return `${delta.taskId} ${delta.type} ${delta.data.messageId}`;
    case 'tool.generating':
      return `${delta.taskId} ${delta.type} ${delta.data.messageId} ${delta.data.toolUseId}`;
    case 'tool.output_delta':
      return `${delta.taskId} ${delta.type} ${delta.data.callId}`;
    default:
      return assertNever(delta);
  }
}

/** The same delta with another piece of the text. Offsets and lengths count UTF-16 units, as `String.length` does. */
export function withText<D extends LiveDelta>(delta: D, offset: number, text: string): D {
  const piece = delta.type === 'tool.generating' ? { json: text } : { text };
  return { ...delta, data: { ...delta.data, ...piece, offset } };
}

/** The delta in two, near the middle and never inside a character; null when it is too short for that. */
export function halveDelta<D extends LiveDelta>(delta: D): readonly [D, D] | null {
  const text = deltaText(delta);
  const middle = Math.floor(text.length / 2);
  const cut = isHighSurrogate(text.charCodeAt(middle - 1)) ? middle + 1 : middle;
  if (cut <= 0 || cut >= text.length) return null;
  const { offset } = delta.data;
  return [withText(delta, offset, text.slice(0, cut)), withText(delta, offset + cut, text.slice(cut))];
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
