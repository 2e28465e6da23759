/**
 * Finds forms of values in a text: a finite automaton that is built while it reads, so that ordinary text, which soon leads out of
 * every form, costs a step or two a character, however many values there are.
 */
import type { Form } from './forms.js';
import { afterNoise, isOpen, MAX_NOISE, type NoiseState } from './noise.js';

/** A stretch of a text, and the value that stands there. */
export interface Found {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** A place in a form. `rest`: what is left of a spelling that has begun. */
interface Place {
  readonly form: Form;
  readonly step: number;
  readonly rest: string;
  readonly noise: NoiseState;
  readonly noiseLength: number;
}

/** All places that what was read may have led to. `value`: a whole value has been read. `open`: more of one may follow. */
interface State {
  readonly places: readonly Place[];
  readonly value: string | null;
  readonly open: boolean;
  /** By character code; undefined: not yet worked out. */
  readonly ascii: (State | null | undefined)[];
  readonly others: Map<number, State | null>;
}

/** So many states are kept, each of about a kilobyte. Ordinary text needs a few hundred. */
const MAX_STATES = 20_000;

export class Matcher {
  private states = new Map<string, State>();
  private readonly start: State;
  private readonly ids: ReadonlyMap<Form, number>;

  constructor(forms: readonly Form[]) {
    this.ids = new Map(forms.map((form, id) => [form, id]));
    this.start = this.stateOf(forms.map((form) => ({ form, step: 0, rest: '', noise: '', noiseLength: 0 })));
  }

  /**
   * The values in a text, in order; those that overlap are one. `more`: the text may go on. Then `heldFrom` is the place from which on
   * it may still become a value; nothing is said about the text behind it.
   */
  find(text: string, more = false): { readonly found: readonly Found[]; readonly heldFrom: number } {
    const found: Found[] = [];
    const { length } = text;
    for (let at = 0; at < length; at += 1) {
      let state = this.next(this.start, text.charCodeAt(at));
      let end = -1;
      let name = '';
      let read = at + 1;
      while (state !== null) {
        if (state.value !== null) [end, name] = [read, state.value];
        if (read === length) break;
        state = this.next(state, text.charCodeAt(read));
        read += 1;
      }
      const last = found.at(-1);
      if (more && state?.open === true) {
        if (last === undefined || last.end <= at) return { found, heldFrom: at };
        found.pop();
        return { found, heldFrom: last.start };
      }
      if (end < 0) continue;
      if (last === undefined || last.end <= at) found.push({ name, start: at, end });
      else if (last.end < end) found[found.length - 1] = { ...last, end };
    }
    return { found, heldFrom: length };
  }

  private next(state: State, code: number): State | null {
    const known = code < 128 ? state.ascii[code] : state.others.get(code);
    return known === undefined ? this.workOut(state, code) : known;
  }

  private workOut(state: State, code: number): State | null {
    const character = String.fromCharCode(code);
    const places = state.places.flatMap((place) => after(place, character));
    const next = places.length === 0 ? null : this.stateOf(places);
    if (code < 128) state.ascii[code] = next;
    else state.others.set(code, next);
    return next;
  }

  private stateOf(places: readonly Place[]): State {
    const unique = new Map(places.map((place) => [this.keyOf(place), place]));
    const key = [...unique.keys()].sort().join(' ');
    const known = this.states.get(key);
    if (known) return known;
    const kept = [...unique.values()];
    const whole = kept.find((place) => isWhole(place));
    const state: State = {
      places: kept,
      value: whole?.form.name ?? null,
      open: kept.some((place) => !isWhole(place)),
      ascii: new Array<State | null | undefined>(128).fill(undefined),
      others: new Map(),
    };
    if (this.states.size >= MAX_STATES) this.forget();
    this.states.set(key, state);
    return state;
  }

  private keyOf({ form, step, rest, noise, noiseLength }: Place): string {
    return JSON.stringify([this.ids.get(form), step, rest, noise, noiseLength]);
  }

  /** Starts anew from the start, whose ways are forgotten as well. */
  private forget(): void {
    this.states = new Map();
    this.start.ascii.fill(undefined);
    this.start.others.clear();
  }
}

function isWhole({ form, step, rest }: Place): boolean {
  return rest === '' && step === form.steps.length;
}

/** The places that a character leads to. */
function after(place: Place, character: string): Place[] {
  const { form, step, rest } = place;
  if (rest !== '') return rest.startsWith(character) ? [arrive(form, step, rest.slice(1))] : [];
  const spellings = isOpen(place.noise) ? (form.steps[step] ?? []) : [];
  const on = spellings.flatMap((spelling) =>
    spelling.startsWith(character) ? [arrive(form, step + 1, spelling.slice(1))] : [],
  );
  return [...on, ...stay(place, character)];
}

function arrive(form: Form, step: number, rest: string): Place {
  // Before the next line of a value, a program may have put its number.
  const isLineEnd = rest === '' && form.wrapsFrom === null && form.steps[step - 1]?.[0] === '\n';
  return { form, step, rest, noise: isLineEnd ? 'n' : '', noiseLength: 0 };
}

function stay(place: Place, character: string): Place[] {
  const { form, step, noiseLength } = place;
  if (step === 0 || step === form.steps.length || noiseLength >= MAX_NOISE) return [];
  const wraps = form.wrapsFrom !== null && step >= form.wrapsFrom;
  const noise = afterNoise(place.noise, character, wraps);
  return noise === null ? [] : [{ ...place, noise, noiseLength: noiseLength + 1 }];
}
