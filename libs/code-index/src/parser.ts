/** Parses files with the grammars that are installed. One load a language; trees are freed at once. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { errorText } from '@bullpen/contracts';
import { Language as Grammar, Parser } from 'web-tree-sitter';
import type { FileFacts } from './facts/facts.js';
import { sourceOf } from './facts/syntax.js';
import type { Language } from './languages/language.js';
import { CPP } from './languages/cpp.js';
import { GO } from './languages/go.js';
import { JAVA } from './languages/java.js';
import { PYTHON } from './languages/python.js';
import { RUST } from './languages/rust.js';
import { TYPESCRIPT } from './languages/typescript.js';
import { readFacts, type LanguageRules } from './languages/walk.js';

const GRAMMARS = dirname(
  createRequire(import.meta.url).resolve('@vscode/tree-sitter-wasm/wasm/tree-sitter.wasm'),
);

const RULES: Readonly<Record<Language, LanguageRules>> = {
  typescript: TYPESCRIPT,
  tsx: TYPESCRIPT,
  javascript: TYPESCRIPT,
  python: PYTHON,
  go: GO,
  java: JAVA,
  rust: RUST,
  cpp: CPP,
};

export class FactsReader {
  private readonly parsers = new Map<Language, Promise<Parser | string>>();

  /** The facts of a text, or why there are none. */
  async read(language: Language, text: string): Promise<FileFacts | string> {
    const rules = RULES[language];
    let loading = this.parsers.get(language);
    if (loading === undefined) this.parsers.set(language, (loading = parserFor(language)));
    const parser = await loading;
    if (typeof parser === 'string') return parser;
    const tree = parser.parse(text);
    if (tree === null) return 'the parser gave up';
    try {
      return readFacts(sourceOf(text, tree), rules);
    } catch (error) {
      if (error instanceof RangeError) return 'it is nested too deep';
      throw error;
    } finally {
      tree.delete();
    }
  }
}

/** A language that does not load is off, and the others work. */
async function parserFor(language: Language): Promise<Parser | string> {
  try {
    await (initialised ??= Parser.init());
    const parser = new Parser();
    parser.setLanguage(await Grammar.load(join(GRAMMARS, `tree-sitter-${language}.wasm`)));
    return parser;
  } catch (error) {
    return `the grammar of ${language} does not load: ${errorText(error)}`;
  }
}

let initialised: Promise<void> | undefined;
