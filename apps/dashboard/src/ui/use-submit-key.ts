/**
 * Sending with a key while a language is typed that composes its letters. The Enter that ends a Hangul syllable also sends, once and with the
 * whole text; the Enter that takes a candidate of another method only takes it.
 */
import { useRef, type CompositionEvent, type KeyboardEvent } from 'react';
import { sendsAfterComposition } from './composition.js';

interface SubmitKeyProps {
  readonly onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
  readonly onCompositionEnd: (event: CompositionEvent<HTMLElement>) => void;
}

/** `mod`: Ctrl or ⌘ is held, for fields of several lines. `submit` reads the field's value itself. */
export function useSubmitKey(
  submit: (value: string) => void,
  chord: 'enter' | 'mod' = 'enter',
): SubmitKeyProps {
  const waits = useRef(false);
  const send = (target: EventTarget): void => {
    waits.current = false;
    submit((target as HTMLInputElement | HTMLTextAreaElement).value);
  };
  return {
    onKeyDown: (event) => {
      const isChord = event.key === 'Enter' || event.nativeEvent.code === 'Enter';
      const isHeld = event.ctrlKey || event.metaKey;
      if (!isChord || event.shiftKey || (chord === 'mod' && !isHeld)) {
        waits.current = false;
        return;
      }
      event.preventDefault();
      event.stopPropagation();
      if (event.nativeEvent.isComposing) waits.current = true;
      else send(event.currentTarget);
    },
    onCompositionEnd: (event) => {
      if (!waits.current) return;
      waits.current = false;
      const { currentTarget, data } = event;
      // The field has the last syllable only after this event.
      if (sendsAfterComposition(data)) setTimeout(() => send(currentTarget));
    },
  };
}
