/** A value that is typed, once its typing has paused. */
import { useEffect, useState } from 'react';

/** Between two letters, in ms. */
const TYPING_MS = 250;

export function useQuiet<Value extends string>(value: Value): Value {
  const [quiet, settle] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => settle(value), TYPING_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return quiet;
}
