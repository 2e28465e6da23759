/** The texts that every language has, in two parts: those of the first screen, and those that come with the others. */
import type { en } from './en.js';
import type { enRest } from './en-rest.js';
import type { Message } from './fill.js';

export type TextKey = keyof typeof en | keyof typeof enRest;
export type FirstTexts = Readonly<Record<keyof typeof en, Message>>;
export type RestTexts = Readonly<Record<keyof typeof enRest, Message>>;
export type Texts = FirstTexts & RestTexts;
