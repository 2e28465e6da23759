/** A task and all below it as a file: to read, or to import elsewhere. */
import type { ExportFormat } from '@bullpen/contracts';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { bullpen } from '../../../app/bullpen.js';
import { useText } from '../../../i18n/texts.js';
import { Button } from '../../../ui/button.js';
import { FailureNote } from '../../../ui/failure-text.js';
import { saveAs } from '../../../ui/save-as.js';

const FORMATS: readonly { readonly format: ExportFormat; readonly ending: string }[] = [
  { format: 'markdown', ending: 'md' },
  { format: 'json', ending: 'json' },
];

export function Exports({ taskId }: { taskId: string }): ReactNode {
  const t = useText();
  const saving = useMutation({
    mutationFn: async ({ format, ending }: (typeof FORMATS)[number]) => {
      const stream = await bullpen.shares.export(taskId, format);
      saveAs(await new Response(stream).blob(), `${taskId}.${ending}`);
    },
  });
  return (
    <section aria-label={t('share.files')}>
      <h3 className="h2">{t('share.files')}</h3>
      <div className="row">
        {FORMATS.map((file) => (
          <Button key={file.format} small disabled={saving.isPending} onClick={() => saving.mutate(file)}>
            {t(`share.as.${file.format}`)}
          </Button>
        ))}
      </div>
      {saving.error !== null && <FailureNote error={saving.error} />}
    </section>
  );
}
