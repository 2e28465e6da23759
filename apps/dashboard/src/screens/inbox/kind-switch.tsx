/** All that waits, or one kind of it. */
import { InteractionKind, type InteractionView } from '@bullpen/contracts';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { TextKey } from '../../i18n/keys.js';
import { useText } from '../../i18n/texts.js';

const TEXTS: Readonly<Record<InteractionKind, TextKey>> = {
  approval: 'inbox.approvals',
  question: 'inbox.questions',
  plan: 'inbox.plans',
  budget: 'inbox.budget',
  mistakes: 'inbox.stuck',
};

export function KindSwitch(props: {
  all: readonly InteractionView[];
  kind: InteractionKind | undefined;
}): ReactNode {
  const { all, kind } = props;
  const t = useText();
  const kinds = InteractionKind.options.filter(
    (each) => each === kind || all.some((view) => view.kind === each),
  );
  if (kinds.length === 0) return null;
  const link = (value: InteractionKind | undefined, text: string, n: number): ReactNode => (
    <Link
      key={value ?? 'all'}
      to="/inbox"
      search={value === undefined ? {} : { kind: value }}
      activeProps={{}}
      aria-current={kind === value ? 'true' : undefined}
    >
      {text} <span className="num">{n}</span>
    </Link>
  );
  return (
    <nav className="seg only-wide" aria-label={t('inbox.kind')}>
      {link(undefined, t('inbox.all'), all.length)}
      {kinds.map((each) => link(each, t(TEXTS[each]), all.filter((view) => view.kind === each).length))}
    </nav>
  );
}
