/** A dialog with one thing to do, and the way out. What went wrong is told in it. */
import type { ReactNode } from 'react';
import { useText } from '../i18n/texts.js';
import { Button } from './button.js';
import { Dialog } from './dialog.js';
import { FailureNote } from './failure-text.js';
import type { IconName } from './icon.js';

export function ActDialog(props: {
  title: ReactNode;
  /** What the button says: a verb with its object. */
  act: string;
  /** @defaultValue primary */
  kind?: 'primary' | 'danger';
  icon?: IconName;
  disabled?: boolean;
  error?: Error | null;
  wide?: boolean;
  /** Beside the two buttons. */
  more?: ReactNode;
  onAct: () => void;
  onClose: () => void;
  children?: ReactNode;
}): ReactNode {
  const { title, act, kind = 'primary', icon, disabled, error = null, wide, more, onAct, onClose } = props;
  const t = useText();
  return (
    <Dialog
      title={title}
      wide={wide === true}
      onClose={onClose}
      footer={
        <>
          <Button kind={kind} icon={icon} disabled={disabled} onClick={onAct}>
            {act}
          </Button>
          <Button onClick={onClose}>{t('action.notNow')}</Button>
          {more !== undefined && (
            <>
              <span className="grow" />
              {more}
            </>
          )}
        </>
      }
    >
      {props.children}
      {error !== null && <FailureNote error={error} />}
    </Dialog>
  );
}
