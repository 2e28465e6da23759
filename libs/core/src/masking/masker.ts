/**
 * Takes registered values out of texts, in whatever form they stand there, and puts a mask in their place. The mask has the name
 * of the value and nothing of its length.
 */
import type { Json } from '@bullpen/contracts';
import { formsOf, type Form } from './forms.js';
import { CUT, Matcher, type Found } from './matcher.js';
import { SECRET_NAME, weakness, type Refused, type Secret } from './registration.js';

/** Of one character, in three layers of JSON; and of one in base64 or hexadecimal digits, with its share of line ends. */
const LONGEST_SPELLING = 48;
const LONGEST_DIGIT = 4;

const MASK = /\[secret ([A-Za-z0-9_.-]{1,64})\]/g;

export class Masker {
  private readonly named = new Set<string>();
  private readonly registered = new Set<string>();
  private readonly forms: Form[] = [];
  private matcher: Matcher | null = null;

  constructor(secrets: readonly Secret[] = []) {
    this.register(secrets);
  }

  /** Masks these as well, from now on. Gives back those that it does not mask, and why. Two values may have one name. */
  register(secrets: readonly Secret[]): Refused[] {
    const before = this.registered.size;
    const refused = secrets.flatMap((secret): Refused[] => {
      const reason = weakness(secret);
      if (reason !== null) return [{ name: SECRET_NAME.test(secret.name) ? secret.name : '?', reason }];
      const { name, value } = secret;
      const key = JSON.stringify([name, value]);
      if (this.registered.has(key)) return [];
      this.registered.add(key);
      this.named.add(name);
      this.forms.push(...formsOf(name, value));
      return [];
    });
    // A new one has all to find out anew.
    if (this.registered.size > before) this.matcher = new Matcher(this.forms);
    return refused;
  }

  /** Of everything that is masked. */
  get names(): readonly string[] {
    return [...this.named];
  }

  mask(text: string): string {
    return this.matcher === null ? text : rendered(text, this.matcher.find(text).found, 0, text.length);
  }

  /** A text that was cut out of a longer one: at its ends there may be parts of values. */
  maskPart(text: string, cut: { readonly start: boolean; readonly end: boolean }): string {
    const marked = `${cut.start ? CUT : ''}${text}${cut.end ? CUT : ''}`;
    return this.mask(marked).slice(cut.start ? 1 : 0, cut.end ? -1 : undefined);
  }

  /**
   * A part of a text, masked with what is around it in view: a value that lies across one of its ends is masked in it. `around` has
   * to hold `reach` characters on both sides, as far as the text has them.
   */
  maskRange(around: string, start: number, end: number): string {
    if (this.matcher === null) return around.slice(start, end);
    return rendered(around, this.matcher.find(around).found, start, end);
  }

  /** How much of the end of a text may still become a value when more follows. */
  unfinished(text: string): number {
    return this.matcher === null ? 0 : text.length - this.matcher.find(text, true).heldFrom;
  }

  /** No form of a value is longer, in characters. */
  get reach(): number {
    const reachOf = ({ steps, wrapsFrom }: Form): number =>
      steps.length * (wrapsFrom === null ? LONGEST_SPELLING : LONGEST_DIGIT);
    return this.forms.reduce((most, form) => Math.max(most, reachOf(form)), 0);
  }

  /** All strings of a JSON value masked, keys included; the same value when there is nothing to mask. */
  maskJson<T>(value: T): T {
    return this.matcher === null ? value : (this.inJson(value as Json) as T);
  }

  /** A text that holds a JSON document, or any other. It stays a document. */
  maskJsonText(text: string): string {
    const masked = this.mask(text);
    if (masked === text) return text;
    try {
      return JSON.stringify(this.maskJson(JSON.parse(text) as Json));
    } catch {
      return masked; // It is no document.
    }
  }

  /** For a text that comes in pieces. */
  stream(): MaskedStream {
    return new MaskedStream(() => this.matcher);
  }

  /** Names of the values whose mask stands in a text: what wrote it has seen the mask and not the value. */
  masksIn(text: string): string[] {
    const names = [...text.matchAll(MASK)].flatMap(([, name = '']) => (this.named.has(name) ? [name] : []));
    return [...new Set(names)];
  }

  private inJson(value: Json): Json {
    if (typeof value === 'string') return this.mask(value);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) {
      const items = value.map((item) => this.inJson(item));
      return items.some((item, at) => item !== value[at]) ? items : value;
    }
    const before = Object.entries(value);
    const fields = before.map(([key, item]) => [this.mask(key), this.inJson(item)] as const);
    const changed = fields.some(([key, item], at) => key !== before[at]?.[0] || item !== before[at]?.[1]);
    return changed ? Object.fromEntries(fields) : value;
  }
}

/** Nothing is registered. */
export const NO_SECRETS = new Masker();

/**
 * Masks a text that comes in pieces. Only what may still become a value is held back, so all pieces together are the masked whole
 * text. One belongs to one text.
 */
export class MaskedStream {
  private held = '';
  /** The next character that goes out stands for a gap. */
  private isBehindGap = false;

  constructor(private readonly matcher: () => Matcher | null) {}

  /** The next piece; gives what may go out. */
  push(piece: string): string {
    return this.give(this.held + piece, true);
  }

  /** Something is left out here: gives what was held back. The next piece may begin inside a value. */
  gap(): string {
    const before = this.give(this.held + CUT, false).slice(0, -1);
    this.held = CUT;
    this.isBehindGap = true;
    return before;
  }

  /** The text is over: what was held back was no value. */
  end(): string {
    return this.give(this.held, false);
  }

  private give(text: string, more: boolean): string {
    const { found, heldFrom } = this.matcher()?.find(text, more) ?? { found: [], heldFrom: text.length };
    this.held = text.slice(heldFrom);
    const shown = rendered(text, found, 0, heldFrom);
    if (!this.isBehindGap || shown === '') return shown;
    this.isBehindGap = false;
    return shown.slice(1);
  }
}

/** The text from `start` to `end`, with masks for what was found. */
function rendered(text: string, found: readonly Found[], start: number, end: number): string {
  let out = '';
  let at = start;
  for (const value of found) {
    if (value.end <= start || value.start >= end) continue;
    out += `${text.slice(at, Math.max(at, value.start))}[secret ${value.name}]`;
    at = value.end;
  }
  return at >= end ? out : out + text.slice(at, end);
}
