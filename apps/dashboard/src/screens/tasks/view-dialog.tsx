/** Saves what is shown as a view; of a saved one: its name, who sees it, and its end. */
import type { SavedView } from '@bullpen/contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { bullpen } from '../../app/bullpen.js';
import { viewsQuery } from '../../app/queries/views.js';
import { useText } from '../../i18n/texts.js';
import { ActDialog } from '../../ui/act-dialog.js';
import { Button } from '../../ui/button.js';
import { Choices } from '../../ui/choice.js';
import { TextField } from '../../ui/fields.js';
import { say } from '../../ui/toast.js';

export function ViewDialog(props: {
  view: SavedView | null;
  query: Readonly<Record<string, string>>;
  onClose: () => void;
}): ReactNode {
  const { view, query, onClose } = props;
  const t = useText();
  const queries = useQueryClient();
  const [name, setName] = useState(view?.name ?? '');
  const [shared, share] = useState(view?.shared ?? false);
  const body = { name: name.trim(), shared };
  const after = (text: string) => ({
    onSuccess: () => {
      say(text);
      onClose();
    },
    onSettled: () => queries.invalidateQueries({ queryKey: viewsQuery.queryKey }),
  });
  const saving = useMutation({
    mutationFn: () =>
      view === null
        ? bullpen.views.create({ ...body, screen: 'tasks', query })
        : bullpen.views.update(view.id, body),
    ...after(t('views.saved', { name: body.name })),
  });
  const deleting = useMutation({
    mutationFn: (id: string) => bullpen.views.delete(id),
    ...after(t('views.deleted', { name: view?.name ?? '' })),
  });
  const isBusy = saving.isPending || deleting.isPending;
  const save = (): void => {
    if (body.name !== '' && !isBusy) saving.mutate();
  };
  return (
    <ActDialog
      title={t(view === null ? 'views.saveTitle' : 'views.editTitle')}
      act={t('views.saveDo')}
      disabled={body.name === '' || isBusy}
      error={saving.error ?? deleting.error}
      onAct={save}
      onClose={onClose}
      {...(view !== null && {
        more: (
          <Button kind="danger" disabled={isBusy} onClick={() => deleting.mutate(view.id)}>
            {t('views.delete')}
          </Button>
        ),
      })}
    >
      <TextField label={t('views.name')} value={name} onChange={setName} onSubmit={save} />
      <Choices
        label={t('views.who')}
        options={[{ value: 'shared', label: t('views.shared'), hint: t('views.sharedHow') }]}
        values={shared ? ['shared'] : []}
        onChange={(values) => share(values.length > 0)}
      />
    </ActDialog>
  );
}
