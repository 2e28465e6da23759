/** What one does with a task now and then. What can be undone is done at once, and can be. */
import type { TaskView } from '@bullpen/contracts';
import { isTerminal } from '@bullpen/contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import { bullpen } from '../../../app/bullpen.js';
import { useText } from '../../../i18n/texts.js';
import { copyText } from '../../../ui/copy.js';
import { Icon } from '../../../ui/icon.js';
import { say } from '../../../ui/toast.js';

export function MoreMenu({ task }: { task: TaskView }): ReactNode {
  const t = useText();
  const archive = useArchive(task.id);
  const isArchived = task.archivedAt !== null;
  const copy = (text: string): void =>
    void copyText(text).then((did) => say(t(did ? 'copy.copied' : 'copy.refused')));
  return (
    <MenuTrigger>
      <Button className="btn quiet icon" aria-label={t('act.more')}>
        <Icon name="more" />
      </Button>
      <Popover className="menu-frame" placement="bottom end">
        <Menu className="menu">
          <MenuItem className="menu-item" onAction={() => copy(location.href)}>
            {t('act.copyLink')}
          </MenuItem>
          <MenuItem className="menu-item" onAction={() => copy(task.id)}>
            {t('act.copyId')}
          </MenuItem>
          {isTerminal(task.state) && task.parentId === null && (
            <MenuItem className="menu-item" onAction={() => archive(isArchived ? 'unarchive' : 'archive')}>
              {t(isArchived ? 'act.unarchive' : 'act.archive')}
            </MenuItem>
          )}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}

type Verb = 'archive' | 'unarchive';
const OPPOSITE = { archive: 'unarchive', unarchive: 'archive' } as const;

/** It is a bulk action of one task: the gateway has no other way to do it. */
function useArchive(taskId: string): (verb: Verb) => void {
  const t = useText();
  const queries = useQueryClient();
  const { mutate } = useMutation({
    mutationFn: (verb: Verb) => bullpen.bulkActions.create({ action: { verb }, ids: [taskId] }),
    onSuccess: (_, verb) => {
      say(t(`act.${verb}d`), () => mutate(OPPOSITE[verb]));
      for (const key of ['task', 'tasks', 'bulk']) void queries.invalidateQueries({ queryKey: [key] });
    },
    onError: (error) => say(error.message),
  });
  return mutate;
}
