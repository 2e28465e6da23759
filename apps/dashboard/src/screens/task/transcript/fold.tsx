/** The head of something that is folded. */
import type { ReactNode } from 'react';
import { Icon } from '../../../ui/icon.js';

export function Fold(props: { isOpen: boolean; onToggle: () => void; children: ReactNode }): ReactNode {
  const { isOpen, onToggle, children } = props;
  return (
    <button type="button" className="fold" aria-expanded={isOpen} onClick={onToggle}>
      <Icon name={isOpen ? 'down' : 'right'} small />
      {children}
    </button>
  );
}
