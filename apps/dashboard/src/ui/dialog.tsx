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
}

const FIELDS = 'textarea, select, input:checked, input:not([type="radio"])';

export function Dialog({ title, onClose, footer, children }: DialogProps): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
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
      className="dialog"
      tabIndex={-1}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <header id={titleId}>{title}</header>
      <div className="in">{children}</div>
      <footer>{footer}</footer>
    </dialog>
  );
}
