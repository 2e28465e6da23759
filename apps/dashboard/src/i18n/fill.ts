/** Texts with places for values: `{name}`, and one form for each number where the language has several. */

/** A text, or its forms by the value `n`. */
export type Message = string | { readonly one: string; readonly other: string };
export type Values = Readonly<Record<string, string | number>>;

/** The text with its values. A place without a value stays as it is written, so that it is seen. */
export function fill(message: Message, values: Values = {}, language = 'en'): string {
  return formOf(message, values['n'], language).replace(/\{(\w+)\}/g, (place, name: string) =>
    String(values[name] ?? place),
  );
}

function formOf(message: Message, n: string | number | undefined, language: string): string {
  if (typeof message === 'string') return message;
  return new Intl.PluralRules(language).select(Number(n)) === 'one' ? message.one : message.other;
}
