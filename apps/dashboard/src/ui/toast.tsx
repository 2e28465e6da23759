/** What followed an action, in a word, for a while. Never what one must answer. */
import { useSyncExternalStore, type ReactNode } from 'react';
import { useText } from '../i18n/texts.js';
import { Button, IconButton } from './button.js';

interface Toast {
  readonly id: number;
  readonly text: string;
  /** Takes back what was done. */
  readonly undo?: (() => void) | undefined;
}

const MOST = 3;
const SHOWN_MS = 8_000;

let toasts: readonly Toast[] = [];
let nextId = 1;
const listeners = new Set<() => void>();

export function say(text: string, undo?: () => void): void {
  const id = nextId++;
  change([...toasts, { id, text, undo }].slice(-MOST));
  setTimeout(() => drop(id), SHOWN_MS);
}

function drop(id: number): void {
  change(toasts.filter((toast) => toast.id !== id));
}

function change(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function Toasts(): ReactNode {
  const t = useText();
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map(({ id, text, undo }) => (
        <div className="toast" key={id}>
          <span>{text}</span>
          {undo !== undefined && (
            <Button
              kind="quiet"
              small
              onClick={() => {
                undo();
                drop(id);
              }}
            >
              {t('action.undo')}
            </Button>
          )}
          <IconButton icon="x" small label={t('action.close')} onClick={() => drop(id)} />
        </div>
      ))}
    </div>
  );
}
