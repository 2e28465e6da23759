/** The keys, those that work everywhere and those of lists and asks. */
import type { ReactNode } from 'react';
import type { TextKey } from '../../i18n/keys.js';
import { useText } from '../../i18n/texts.js';
import { Button, Key } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { PLACES } from '../places.js';

const EVERYWHERE: readonly (readonly [string, TextKey])[] = [
  ['Ctrl K', 'help.palette'],
  ['C', 'help.new'],
  ['?', 'help.help'],
];
const LISTS: readonly (readonly [string, TextKey])[] = [
  ['J', 'help.next'],
  ['K', 'help.previous'],
  ['X', 'help.select'],
  ['Shift ↓', 'help.range'],
  ['Enter', 'help.open'],
  ['/', 'help.search'],
  ['Esc', 'help.clear'],
];
const ASKS: readonly (readonly [string, TextKey])[] = [
  ['Ctrl ↵', 'help.allow'],
  ['T', 'help.remember'],
  ['E', 'help.edit'],
  ['D', 'help.deny'],
];

export default function Help({ onClose }: { onClose: () => void }): ReactNode {
  const t = useText();
  const places = PLACES.map(({ key, text }) => [`G ${key.toUpperCase()}`, text] as const);
  return (
    <Dialog
      title={t('help.title')}
      onClose={onClose}
      footer={<Button onClick={onClose}>{t('action.close')}</Button>}
    >
      <Keys title={t('help.everywhere')} keys={[...EVERYWHERE, ...places]} />
      <Keys title={t('help.lists')} keys={LISTS} />
      <Keys title={t('help.asks')} keys={ASKS} />
      <p className="dim">{t('help.letters')}</p>
    </Dialog>
  );
}

function Keys({ title, keys }: { title: string; keys: readonly (readonly [string, TextKey])[] }): ReactNode {
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
