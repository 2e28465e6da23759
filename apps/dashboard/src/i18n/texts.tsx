/** The language of the dashboard: one file of texts, loaded by choice. */
import { createContext, useContext, useMemo, type ReactNode } from 'react';
import { remembered } from '../app/remembered.js';
import { fill, type Message, type Values } from './fill.js';
import type { FirstTexts, RestTexts, TextKey, Texts } from './keys.js';

export type Language = 'en' | 'ko';
/** The text of a key, with its values put in. */
export type Translate = (key: TextKey, values?: Values) => string;

const LANGUAGES: readonly Language[] = ['en', 'ko'];
const choice = remembered<Language>('language');

/** What the person chose, or else the first language of the browser that is spoken here. */
export function chosenLanguage(): Language {
  const wanted = [choice.read(), ...navigator.languages.map((tag) => tag.slice(0, 2))];
  return wanted.flatMap((tag) => LANGUAGES.filter((language) => language === tag))[0] ?? 'en';
}

/** The texts change with the page, so that nothing has to notice. */
export function switchLanguage(language: Language): void {
  choice.write(language);
  location.reload();
}

/** The texts of the first screen. */
export async function loadTexts(language: Language): Promise<FirstTexts> {
  return language === 'ko' ? (await import('./ko.js')).ko : (await import('./en.js')).en;
}

const rest: { texts: Partial<RestTexts>; loading: Promise<void> | null } = { texts: {}, loading: null };

async function loadRest(language: Language): Promise<void> {
  rest.texts =
    language === 'ko' ? (await import('./ko-rest.js')).koRest : (await import('./en-rest.js')).enRest;
}

/** For what is loaded after the first screen: it comes with its texts. */
export async function withTexts<Module>(load: () => Promise<Module>): Promise<Module> {
  rest.loading ??= loadRest(chosenLanguage());
  const [module] = await Promise.all([load(), rest.loading]);
  return module;
}

interface Speech {
  readonly language: Language;
  readonly t: Translate;
}

const SpeechContext = createContext<Speech | null>(null);

export function TextProvider(props: {
  language: Language;
  texts: FirstTexts;
  children: ReactNode;
}): ReactNode {
  const { language, texts, children } = props;
  document.documentElement.lang = language;
  const speech = useMemo<Speech>(
    () => ({ language, t: (key, values) => fill(messageOf(texts, key), values, language) }),
    [language, texts],
  );
  return <SpeechContext value={speech}>{children}</SpeechContext>;
}

function messageOf(texts: FirstTexts, key: TextKey): Message {
  return (texts as Texts)[key] ?? (rest.texts as Texts)[key];
}

function useSpeech(): Speech {
  const speech = useContext(SpeechContext);
  if (speech === null) throw new Error('There is no TextProvider');
  return speech;
}

export function useText(): Translate {
  return useSpeech().t;
}

export function useLanguage(): Language {
  return useSpeech().language;
}
