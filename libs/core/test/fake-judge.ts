/** A judge of command lines that knows five words, so that the core's own rules can be told apart from the real policy's. */
import type { CommandPartLike, CommandSettings, CommandVerdictLike } from '../src/ports/command-judge.js';

/** `ls` is harmless, `rm` dangerous, `mkfs` catastrophic, everything else unknown. Commands are parted by `;`. */
export function fakeJudge(line: string, settings: CommandSettings): CommandVerdictLike {
  const parts = line.split(';').map((text) => judgePart(text.trim(), settings));
  const worst =
    parts.find(({ decision }) => decision === 'deny') ?? parts.find(({ decision }) => decision === 'ask');
  const first = worst ?? parts[0];
  const isException = settings.dangerousExceptions.includes(line) && worst?.decision !== 'deny';
  const { decision, reason, rule, message, span } = first as CommandPartLike;
  if (isException && settings.allowExecute)
    return { ...ruling('approve', 'approve.exception'), span: null, parts };
  return { decision, reason, rule, message, span, parts };
}

function judgePart(text: string, settings: CommandSettings): CommandPartLike {
  const words = text.split(' ');
  const span = { start: 0, end: text.length, text };
  const part = (decision: CommandPartLike['decision'], rule: string): CommandPartLike => ({
    ...ruling(decision, rule),
    text,
    words,
    span,
  });
  const longest = (entries: readonly string[]): number =>
    Math.max(
      0,
      ...entries.filter((entry) => `${text} `.startsWith(`${entry} `)).map((entry) => entry.length),
    );
  const [allowed, denied] = [longest(settings.allow), longest(settings.deny)];
  if (denied > 0 && denied >= allowed) return part('deny', 'list.deny');
  if (words[0] === 'mkfs') return part('deny', 'dangerous.disk_erase');
  const off = settings.allowExecute ? null : part('ask', 'execute.off');
  if (settings.dangerousExceptions.includes(text)) return off ?? part('approve', 'approve.exception');
  if (words[0] === 'rm') return part('ask', 'dangerous.delete');
  if (allowed > 0) return off ?? part('approve', 'approve.list');
  return words[0] === 'ls' ? (off ?? part('approve', 'approve.known')) : part('ask', 'program.unknown');
}

function ruling(decision: CommandPartLike['decision'], rule: string) {
  return { decision, rule, reason: `because_${rule.replace('.', '_')}`, message: `By ${rule}.` };
}
