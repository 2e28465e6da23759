/** The keys: those of the screen that is open first, then those that work everywhere. */
import { useLocation } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { TextKey } from '../../i18n/keys.js';
import { useText } from '../../i18n/texts.js';
import { Button, Key } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { PLACES } from '../places.js';

type KeyRow = readonly [string, TextKey];

const EVERYWHERE: readonly KeyRow[] = [
  ['Ctrl K', 'help.palette'],
  ['C', 'help.new'],
  ['?', 'help.help'],
];
const LISTS: readonly KeyRow[] = [
  ['J', 'help.next'],
  ['K', 'help.previous'],
  ['X', 'help.select'],
  ['Shift ↓', 'help.range'],
  ['Enter', 'help.open'],
  ['/', 'help.search'],
  ['F', 'help.filter'],
  ['R', 'help.retry'],
  ['Esc', 'help.clear'],
];
const ASKS: readonly KeyRow[] = [
  ['Ctrl ↵', 'help.allow'],
  ['T', 'help.remember'],
  ['E', 'help.edit'],
  ['D', 'help.deny'],
];
const TASK: readonly KeyRow[] = [
  ['J', 'help.nextEvent'],
  ['K', 'help.previousEvent'],
  ['O', 'help.openEvent'],
  ['C', 'help.copyEvent'],
  ['Y', 'help.linkEvent'],
  ['W', 'help.wrap'],
  ['N', 'help.nextAsk'],
  ['M', 'help.message'],
  ['I', 'help.interrupt'],
  ['[', 'help.before'],
  [']', 'help.after'],
  ['1–7', 'help.tabs'],
  ['Ctrl F', 'help.find'],
];
const CHANGES: readonly KeyRow[] = [
  ['U', 'help.columns'],
  ['V', 'help.viewed'],
];

const GROUPS = {
  task: { title: 'help.task', keys: TASK },
  changes: { title: 'help.changes', keys: CHANGES },
  lists: { title: 'help.lists', keys: LISTS },
  asks: { title: 'help.asks', keys: ASKS },
} as const satisfies Readonly<Record<string, { title: TextKey; keys: readonly KeyRow[] }>>;

type Group = keyof typeof GROUPS;

function groupsOf(path: string): readonly Group[] {
  if (path.startsWith('/tasks/')) return ['task', 'changes', 'asks', 'lists'];
  return path.startsWith('/inbox')
    ? ['asks', 'lists', 'task', 'changes']
    : ['lists', 'asks', 'task', 'changes'];
}

export default function Help({ onClose }: { onClose: () => void }): ReactNode {
  const t = useText();
  const { pathname } = useLocation();
  const places = PLACES.map(({ key, text }) => [`G ${key.toUpperCase()}`, text] as const);
  return (
    <Dialog
      wide
      title={t('help.title')}
      onClose={onClose}
      footer={<Button onClick={onClose}>{t('action.close')}</Button>}
    >
      <div className="key-sheet">
        {groupsOf(pathname).map((group) => (
          <Keys key={group} title={t(GROUPS[group].title)} keys={GROUPS[group].keys} />
        ))}
        <Keys title={t('help.everywhere')} keys={[...EVERYWHERE, ...places]} />
      </div>
      <p className="dim">{t('help.letters')}</p>
    </Dialog>
  );
}

function Keys({ title, keys }: { title: string; keys: readonly KeyRow[] }): ReactNode {
  const t = useText();
  return (
    <section>
      <h3 className="h2">{title}</h3>
      <dl className="kv keys">
        {keys.map(([key, text]) => (
          <div className="row" key={key}>
            <dt>
              {key.split(' ').map((cap) => (
                <Key key={cap} name={cap} />
              ))}
            </dt>
            <dd>{t(text)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
