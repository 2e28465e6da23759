/**
 * What leaves the installation is masked beyond registered values: keys and tokens by their form, values of variables that are called a secret, and the names in
 * home folders. It errs on the side of masking; whoever shares sees every masked place first.
 */
import type { Masker } from '@bullpen/core';
import type { MaskedPlace } from '@bullpen/contracts';

interface Pattern {
  readonly kind: MaskedPlace['kind'];
  readonly form: RegExp;
  /** What stands in its place; groups stay. */
  readonly mask: string;
}

const HIDDEN = '[hidden]';

/** What no pattern can be in, and most of a document is: names of members, words, times. Looking for all of them there took most of the time. */
const HARMLESS = /^(?:[a-z][A-Za-z]{0,15}|[\d.]{1,10}|\d{4}-\d\d-\d\dT[\d:.]{8,15}Z|.{0,6})$/s;

/** Where one can begin again and again in a long word it takes all of it or a bounded piece: else the time would grow with the square of the word. */
const PATTERNS: readonly Pattern[] = [
  {
    kind: 'credential',
    form: /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
    mask: HIDDEN,
  },
  { kind: 'credential', form: /\beyJ[\w-]{8,}(?:\.[\w-]*){0,2}/g, mask: HIDDEN },
  { kind: 'credential', form: /\bA(?:KIA|SIA)[A-Z0-9]{12,}\b|\bAIza[\w-]{20,}/g, mask: HIDDEN },
  {
    kind: 'credential',
    form: /\b(?:sk|pk|rk|tok|pat|bp|share|whsec|gh[pousr]|github_pat|glpat|xox[a-z]|npm|pypi|hf|dop_v1|SG)[-_.][\w.-]{8,}/g,
    mask: HIDDEN,
  },
  { kind: 'credential', form: /\b(Bearer|Basic)\s+[\w.~+/=-]{8,}/gi, mask: `$1 ${HIDDEN}` },
  { kind: 'credential', form: /(:\/\/[^\s/:@]*):[^\s/@]+@/g, mask: `$1:${HIDDEN}@` },
  {
    kind: 'credential',
    // Not with what the name begins with: it stays as it is, and to look for its beginning at each letter of a long word took most of the time.
    form: /((?:token|secret|passw(?:or)?d|passphrase|pwd|api[_-]?key|access[_-]?key|private[_-]?key|credential)[\w.-]{0,100}\\?["']?\s*[:=]\s*\\?["']?)(?!\[)[^\s"'\\&,;]{4,}/gi,
    mask: `$1${HIDDEN}`,
  },
  { kind: 'home', form: /(\/(?:home|Users)\/)(?!…)[^/\s"'`:;,)\\]+/g, mask: '$1…' },
  { kind: 'home', form: /\b([A-Z]:(?:\\\\?|\/)Users(?:\\\\?|\/))(?!…)[^\\/\s"'`:;,)]+/gi, mask: '$1…' },
];

/** Characters around a mask that a preview shows. */
const AROUND = 40;

export type Report = (kind: MaskedPlace['kind'], around: string) => void;

/** The text as outsiders may see it; `report` is told of each masked place. */
export function redactText(text: string, masker: Masker, report?: Report): string {
  let shown = masker.mask(text);
  const registered = shown !== text;
  if (HARMLESS.test(shown)) return shown;
  for (const { kind, form, mask } of PATTERNS) {
    const before = shown;
    shown = before.replace(form, mask);
    if (!report || shown === before) continue;
    for (const { index, 0: found } of before.matchAll(form))
      report(kind, around(before, index, found, found.replace(new RegExp(form.source, form.flags), mask)));
  }
  if (registered) report?.('registered', shown.slice(0, 2 * AROUND));
  return shown;
}

/** What is beside a mask may be another secret, so it is masked whole before a piece of it is taken. */
function around(text: string, at: number, found: string, masked: string): string {
  const hide = (part: string): string =>
    PATTERNS.reduce((rest, { form, mask }) => rest.replace(form, mask), part);
  const [before, after] = [hide(text.slice(0, at)), hide(text.slice(at + found.length))];
  return `${before.slice(-AROUND)}${masked}${after.slice(0, AROUND)}`;
}

/** The same for all text in a value, names of members included; `report` gets the place as a JSON pointer. */
export function redactDeep<T>(
  value: T,
  masker: Masker,
  report?: (pointer: string, kind: MaskedPlace['kind'], around: string) => void,
  pointer = '',
): T {
  if (typeof value === 'string')
    return redactText(value, masker, report && ((kind, place) => report(pointer, kind, place))) as T;
  if (Array.isArray(value))
    return value.map((item: unknown, at) => redactDeep(item, masker, report, `${pointer}/${at}`)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const shown = redactText(name, masker);
      const at = `${pointer}/${shown.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      const hidden = typeof member === 'string' && SECRET_NAME.test(name) && member.length >= 4;
      if (hidden) report?.(at, 'credential', `${shown}: ${HIDDEN}`);
      return [shown, hidden ? HIDDEN : redactDeep(member, masker, report, at)];
    }),
  ) as T;
}

/** A member of this name holds a secret, whatever it looks like. */
const SECRET_NAME =
  /(?:^|[_-])(?:token|secret|password|passwd|passphrase|api_?key|access_?key|private_?key)$/i;
