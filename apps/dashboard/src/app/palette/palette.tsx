/** The command palette: go somewhere, find a task, or do something, by typing a part of its name. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { useText } from '../../i18n/texts.js';
import { Icon, type IconName } from '../../ui/icon.js';
import { StateMark } from '../../ui/state-mark.js';
import { bullpen } from '../bullpen.js';
import { applyLook, themeChoice } from '../look.js';
import { PLACES } from '../places.js';

interface Entry {
  readonly id: string;
  readonly icon: IconName;
  readonly text: string;
  readonly end?: ReactNode;
  readonly act: () => void;
}

export default function Palette({ onClose }: { onClose: () => void }): ReactNode {
  const t = useText();
  const dialog = useRef<HTMLDialogElement>(null);
  const listId = useId();
  const [typed, type] = useState('');
  const [at, setAt] = useState(0);
  const entries = useEntries(typed.trim());
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  const run = (entry: Entry | undefined): void => {
    if (entry === undefined) return;
    onClose();
    entry.act();
  };
  const chosen = Math.min(at, entries.length - 1);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setAt(Math.min(Math.max(chosen + step, 0), entries.length - 1));
    } else if (event.key === 'Enter') run(entries[chosen]);
  };
  return (
    <dialog
      ref={dialog}
      className="cmdk"
      aria-label={t('palette.title')}
      onCancel={onClose}
      onClose={onClose}
    >
      <div className="in">
        <Icon name="search" />
        <input
          role="combobox"
          aria-expanded
          aria-controls={listId}
          aria-activedescendant={
            entries[chosen] === undefined ? undefined : `${listId}-${entries[chosen].id}`
          }
          aria-label={t('palette.title')}
          placeholder={t('palette.placeholder')}
          value={typed}
          onChange={({ target }) => {
            type(target.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <ul id={listId} role="listbox" aria-label={t('palette.title')}>
        {entries.map((entry, index) => (
          <li
            key={entry.id}
            id={`${listId}-${entry.id}`}
            role="option"
            aria-selected={index === chosen}
            onClick={() => run(entry)}
            onPointerMove={() => setAt(index)}
          >
            <Icon name={entry.icon} />
            <span className="trunc grow">{entry.text}</span>
            {entry.end}
          </li>
        ))}
      </ul>
    </dialog>
  );
}

/** Tasks that have the words, then places and deeds whose name has them. */
function useEntries(words: string): Entry[] {
  const t = useText();
  const navigate = useNavigate();
  const { data: found } = useQuery({
    queryKey: ['tasks', 'palette', words],
    enabled: words !== '',
    queryFn: ({ signal }) => bullpen.tasks.list({ q: words, limit: 6 }, { signal }),
    placeholderData: keepPreviousData,
  });
  const tasks: Entry[] = (words === '' ? [] : (found?.data ?? [])).map((task) => ({
    id: task.id,
    icon: 'tasks',
    text: task.title,
    end: <StateMark {...task} />,
    act: () => void navigate({ to: '/tasks/$taskId', params: { taskId: task.id } }),
  }));
  const places: Entry[] = PLACES.map(({ to, icon, text }) => ({
    id: to.slice(1),
    icon,
    text: t('palette.go', { place: t(text) }),
    act: () => void navigate({ to }),
  }));
  const deeds: Entry[] = [
    { id: 'new', icon: 'plus', text: t('nav.new'), act: () => void navigate({ to: '/new' }) },
    ...(['light', 'dark'] as const).map((theme): Entry => ({
      id: theme,
      icon: 'settings',
      text: t('palette.theme', { theme: t(`settings.${theme}`) }),
      act: () => {
        themeChoice.write(theme);
        applyLook();
      },
    })),
  ];
  const search: Entry[] =
    words === ''
      ? []
      : [
          {
            id: 'search',
            icon: 'search',
            text: t('palette.search', { words }),
            act: () => void navigate({ to: '/tasks', search: { q: words, all: true } }),
          },
        ];
  const fits = ({ text }: Entry): boolean => text.toLowerCase().includes(words.toLowerCase());
  return [...tasks, ...[...deeds, ...places].filter(fits), ...search];
}
