/** Saves a text as a file, whole and as it is. */
import type { ReactNode } from 'react';
import { useText } from '../i18n/texts.js';
import { Button } from './button.js';
import { saveAs } from './save-as.js';

export function DownloadButton({ text, name }: { text: string; name: string }): ReactNode {
  const t = useText();
  const save = (): void => saveAs(new Blob([text], { type: 'text/plain' }), name);
  return (
    <Button kind="quiet" small onClick={save}>
      {t('copy.download')}
    </Button>
  );
}
