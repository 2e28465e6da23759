/**
 * Answers that are worked out once. One that is asked for again while it is being worked out is empty there: names that stand for each
 * other end. What such an empty answer went into holds only until the question that it came from is answered, as it may be more otherwise.
 */

/** Questions inside of questions; deeper ones stay without an answer, so that no stack overflows. */
const MOST_LEVELS = 40;
const WHOLE = Number.POSITIVE_INFINITY;

interface Answer<V> {
  readonly found: readonly V[];
  /** The level of the open question that cut this one short. */
  readonly cutBy: number;
}

/** What the recalls of one evaluator share, since their questions lead to each other. */
export class OpenQuestions {
  level = 0;
  /** The lowest level whose question was met again since the innermost one began. */
  cutBy = WHOLE;
  /** Answers that hold only as long as a question is open. */
  private passing: { readonly cutBy: number; readonly forget: () => void }[] = [];

  holdsWhileOpen(cutBy: number, forget: () => void): void {
    this.passing.push({ cutBy, forget });
  }

  /** The question of a level is answered: what it cut short is worked out anew when somebody asks. */
  close(level: number): void {
    this.level = level;
    if (this.passing.length === 0) return;
    for (const { cutBy, forget } of this.passing) if (cutBy >= level) forget();
    this.passing = this.passing.filter(({ cutBy }) => cutBy < level);
  }
}

/** Answers by what they are about, and a word. */
export class Recall<About extends object, V> {
  /** A number: the question is open, at this level. */
  private readonly answers = new Map<About, Map<string, Answer<V> | number>>();

  constructor(private readonly open: OpenQuestions) {}

  /** The answer, worked out where nobody asked before. */
  of(about: About, word: string, workOut: () => readonly V[]): readonly V[] {
    let words = this.answers.get(about);
    if (words === undefined) this.answers.set(about, (words = new Map()));
    const known = words.get(word);
    if (typeof known === 'object') return this.taken(known.found, known.cutBy);
    if (typeof known === 'number') return this.taken([], known);
    if (this.open.level >= MOST_LEVELS) return this.taken([], 0);
    return this.answered(words, word, workOut);
  }

  private answered(
    words: Map<string, Answer<V> | number>,
    word: string,
    workOut: () => readonly V[],
  ): readonly V[] {
    const { open } = this;
    const level = open.level;
    const before = open.cutBy;
    words.set(word, level);
    open.level += 1;
    open.cutBy = WHOLE;
    try {
      const found = workOut();
      // A question that only met itself again is answered as a whole.
      const cutBy = open.cutBy < level ? open.cutBy : WHOLE;
      words.set(word, { found, cutBy });
      if (cutBy < WHOLE) open.holdsWhileOpen(cutBy, () => words.delete(word));
      open.cutBy = Math.min(before, cutBy);
      return found;
    } finally {
      if (typeof words.get(word) === 'number') words.delete(word);
      open.close(level);
    }
  }

  private taken(found: readonly V[], cutBy: number): readonly V[] {
    this.open.cutBy = Math.min(this.open.cutBy, cutBy);
    return found;
  }
}
