/**
 * A dialog over the page. Escape closes it, and Enter consents to nothing: the focus begins at the first field, or at the dialog itself when it
 * has none.
 */
import { useEffect, useId, useRef, type ReactNode } from 'react';

interface DialogProps {
  readonly title: ReactNode;
  readonly onClose: () => void;
  /** The buttons. */
  readonly footer: ReactNode;
  readonly children?: ReactNode;
  /** For forms with columns. */
  readonly wide?: boolean;
}

const FIELDS = 'textarea, select, input:checked, input:not([type="radio"])';

export function Dialog({ title, onClose, footer, children, wide = false }: DialogProps): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  // Whoever selects text in a field and lets go beside the dialog has not clicked beside it.
  const pressed = useRef<EventTarget | null>(null);
  useEffect(() => {
    const element = dialog.current;
    const before = document.activeElement;
    element?.showModal();
    (element?.querySelector<HTMLElement>(FIELDS) ?? element)?.focus();
    return () => {
      element?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      className={wide ? 'dialog wide-dialog' : 'dialog'}
      tabIndex={-1}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onPointerDown={(event) => void (pressed.current = event.target)}
      onClick={({ target }) => {
        if (target === dialog.current && pressed.current === target) onClose();
      }}
    >
      <header id={titleId}>{title}</header>
      <div className="in">{children}</div>
      <footer>{footer}</footer>
    </dialog>
  );
}
