/** Whether the Enter that ended a composition was meant to send. */

const HANGUL = /[\u1100-\u11ff\u3130-\u318f\uac00-\ud7af]$/;

/** Hangul needs no confirmation: Enter ends the syllable by the way. Of a list of candidates (Japanese, Chinese) it chooses one. */
export function sendsAfterComposition(composed: string): boolean {
  return HANGUL.test(composed);
}
