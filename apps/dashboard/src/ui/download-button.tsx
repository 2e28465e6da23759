/** Saves a text as a file, whole and as it is. */
import type { ReactNode } from 'react';
import { useText } from '../i18n/texts.js';
import { Button } from './button.js';

export function DownloadButton({ text, name }: { text: string; name: string }): ReactNode {
  const t = useText();
  const save = (): void => {
    const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
    const link = document.createElement('a');
    link.href = url;
    link.download = name;
    link.click();
    URL.revokeObjectURL(url);
  };
  return (
    <Button kind="quiet" small onClick={save}>
      {t('copy.download')}
    </Button>
  );
}
