/** The texts that every language has. */
import type { en } from './en.js';
import type { Message } from './fill.js';

export type TextKey = keyof typeof en;
export type Texts = Readonly<Record<TextKey, Message>>;
