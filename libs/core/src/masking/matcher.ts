/**
 * Finds forms of values in a text: a finite automaton that is built while it reads, so that ordinary text, which soon leads out of
 * every form, costs a step or two a character, however many values there are.
 */
import type { Form } from './forms.js';
import { afterNoise, BEFORE_CUT, isOpen, MAX_NOISE, type NoiseState } from './noise.js';
import { PART, readableBefore, remaindersOf } from './parts.js';

/** A stretch of a text, and the value that stands there. */
export interface Found {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** A place in a form. `from`: the step where the text began, `rest`: what is left of a spelling that has begun. */
interface Place {
  readonly form: Form;
  readonly from: number;
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

/** What was read from a place on. `name` null: no whole value. `open`: the text ends where one may go on. */
interface Read {
  readonly name: string | null;
  readonly end: number;
  readonly open: boolean;
}

/** So many states are kept, each of about a kilobyte. Ordinary text needs a few hundred. */
const MAX_STATES = 20_000;

/** Stands where a text was cut, alone or as the start of a note in a line of its own. What is next to it may be a part of a value. */
export const CUT = '…';

export class Matcher {
  private states = new Map<string, State>();
  private readonly start: State;
  /** They stand for so many places that these are looked for only when the next character is known. */
  private readonly behindCut = newState([]);
  private readonly behindCutLine = newState([]);
  private readonly ids: ReadonlyMap<Form, number>;

  constructor(forms: readonly Form[]) {
    this.ids = new Map(forms.map((form, id) => [form, id]));
    this.start = this.stateOf(
      forms.map((form) => ({ form, from: 0, step: 0, rest: '', noise: '', noiseLength: 0 })),
    );
  }

  /**
   * The values in a text, in order; those that overlap are one. `more`: the text may go on. Then `heldFrom` is the place from which on
   * it may still become a value; nothing is said about the text behind it.
   */
  find(text: string, more = false): { readonly found: readonly Found[]; readonly heldFrom: number } {
    const found: Found[] = [];
    for (let at = 0; at < text.length; at += 1) {
      const state = this.next(this.start, text.charCodeAt(at));
      const read = state && this.readOn(text, at, state);
      if (!read) continue; // As nearly everywhere.
      const last = found.at(-1);
      if (more && read.open) {
        if (last === undefined || last.end <= at) return { found, heldFrom: at };
        found.pop();
        return { found, heldFrom: last.start };
      }
      if (read.name === null) continue;
      const { start, end } = withoutCuts(text, at, read.end);
      if (last === undefined || last.end <= start) found.push({ name: read.name, start, end });
      else if (last.end < end) found[found.length - 1] = { ...last, end };
    }
    return { found, heldFrom: text.length };
  }

  /** The longest value that begins at a place, if one does, and whether the text ends inside of one; null: neither. */
  private readOn(text: string, at: number, first: State): Read | null {
    let state: State | null = first;
    let whole: State | null = null;
    let end = at;
    let read = at + 1;
    for (;;) {
      if (state.value !== null) [whole, end] = [state, read];
      if (read === text.length) break;
      state = this.next(state, text.charCodeAt(read));
      if (state === null) break;
      read += 1;
    }
    const open = state?.open ?? false;
    return whole === null && !open ? null : { name: whole?.value ?? null, end, open };
  }

  private next(state: State, code: number): State | null {
    const known = code < 128 ? state.ascii[code] : state.others.get(code);
    return known === undefined ? this.workOut(state, code) : known;
  }

  private workOut(state: State, code: number): State | null {
    const character = String.fromCharCode(code);
    const next = this.cutAfter(state, character) ?? this.nextOf(state, character);
    if (code < 128) state.ascii[code] = next;
    else state.others.set(code, next);
    return next;
  }

  /** The mark of a cut, and the line ends behind it: its own, and the one of a wrapped value that was cut there. */
  private cutAfter(state: State, character: string): State | null {
    if (state === this.start && character === CUT) return this.behindCut;
    if (character !== '\n') return null;
    if (state === this.behindCut) return this.behindCutLine;
    return state === this.behindCutLine && this.nextOf(state, character) === null ? state : null;
  }

  private nextOf(state: State, character: string): State | null {
    const isCut = state === this.behindCut || state === this.behindCutLine;
    const places = isCut
      ? [...this.ids.keys()].flatMap((form) =>
          remaindersOf(form, character).map(({ from, step, text }) =>
            arrive({ form, from }, step, text.slice(1)),
          ),
        )
      : state.places.flatMap((place) => after(place, character));
    return places.length === 0 ? null : this.stateOf(places);
  }

  private stateOf(places: readonly Place[]): State {
    const unique = new Map(places.map((place) => [this.keyOf(place), place]));
    const key = [...unique.keys()].sort().join(' ');
    const known = this.states.get(key);
    if (known) return known;
    const state = newState([...unique.values()]);
    if (this.states.size >= MAX_STATES) this.forget();
    this.states.set(key, state);
    return state;
  }

  private keyOf({ form, from, step, rest, noise, noiseLength }: Place): string {
    return JSON.stringify([this.ids.get(form), from, step, rest, noise, noiseLength]);
  }

  /** Starts anew, with nothing but the states that all ways begin at. */
  private forget(): void {
    this.states = new Map();
    for (const state of [this.start, this.behindCut, this.behindCutLine]) {
      state.ascii.fill(undefined);
      state.others.clear();
    }
  }
}

function newState(places: readonly Place[]): State {
  return {
    places,
    value: places.find((place) => isWhole(place))?.form.name ?? null,
    // Without places it is one behind a cut.
    open: places.length === 0 || places.some((place) => !isWhole(place)),
    ascii: new Array<State | null | undefined>(128).fill(undefined),
    others: new Map(),
  };
}

function isWhole({ form, step, rest }: Place): boolean {
  return rest === '' && step === form.steps.length;
}

/** The places that a character leads to. */
function after(place: Place, character: string): Place[] {
  const { form, step, rest } = place;
  const cut = beforeCut(place, character);
  if (place.noise === BEFORE_CUT) return cut;
  if (rest !== '') return rest.startsWith(character) ? [arrive(place, step, rest.slice(1)), ...cut] : cut;
  const spellings = isOpen(place.noise) ? (form.steps[step] ?? []) : [];
  const on = spellings.flatMap((spelling) =>
    spelling.startsWith(character) ? [arrive(place, step + 1, spelling.slice(1))] : [],
  );
  return [...on, ...stay(place, character), ...cut];
}

function arrive({ form, from }: Pick<Place, 'form' | 'from'>, step: number, rest: string): Place {
  // Before the next line of a value, a program may have put its number.
  const isLineEnd = rest === '' && form.wrapsFrom === null && form.steps[step - 1]?.[0] === '\n';
  return { form, from, step, rest, noise: isLineEnd ? 'n' : '', noiseLength: 0 };
}

/** Where a cut follows, what was read so far is all that there is of the value. */
function beforeCut(place: Place, character: string): Place[] {
  const { form, from, step, rest, noise } = place;
  if ((character !== CUT && character !== '\n') || isWhole(place)) return [];
  if (noise !== BEFORE_CUT && readableBefore(form, from, step, rest) < PART) return [];
  if (character === CUT) return [{ ...place, step: form.steps.length, rest: '', noise: '', noiseLength: 0 }];
  return noise === BEFORE_CUT ? [] : [{ ...place, noise: BEFORE_CUT }];
}

function stay(place: Place, character: string): Place[] {
  const { form, step, noise: before, noiseLength } = place;
  if (step === 0 || step === form.steps.length || noiseLength >= MAX_NOISE) return [];
  const wraps = form.wrapsFrom !== null && step >= form.wrapsFrom;
  const noise = afterNoise(before, character, wraps);
  return noise === null ? [] : [{ ...place, noise, noiseLength: noiseLength + 1 }];
}

/** A stretch without the cuts at its ends, and without the line ends at these. */
function withoutCuts(text: string, from: number, to: number): { start: number; end: number } {
  let [start, end] = [from, to];
  if (text[start] === CUT) {
    start += 1;
    while (text[start] === '\n') start += 1;
  }
  if (text[end - 1] === CUT) end -= text[end - 2] === '\n' ? 2 : 1;
  return { start, end };
}
