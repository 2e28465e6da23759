/** What readers are not shown, place by place, so that one sees before it goes out what was found, and what was not. */
import type { MaskedPlace, SharePreview } from '@bullpen/contracts';
import type { ReactNode } from 'react';
import { useText } from '../../../i18n/texts.js';
import { Icon } from '../../../ui/icon.js';
import { useShownTask } from '../task-context.js';

export function MaskedPlaces({ look }: { look: SharePreview }): ReactNode {
  const t = useText();
  const { tasks, events, masked, places } = look;
  return (
    <section className="boxed" aria-label={t('share.masked', { n: masked })}>
      <p className="pad row">
        <Icon name="search" />
        <span>
          {t('share.looked', { tasks: t('tree.tasks', { n: tasks }), n: events })}{' '}
          <b>{masked === 0 ? t('share.nothingMasked') : t('share.masked', { n: masked })}</b>
        </span>
      </p>
      {places.length > 0 && (
        <ol className="masked" tabIndex={0} aria-label={t('share.places')}>
          {places.map((place) => (
            <PlaceRow key={`${place.taskId} ${place.seq} ${place.field} ${place.around}`} place={place} />
          ))}
          {masked > places.length && (
            <li className="dim">{t('share.morePlaces', { n: masked - places.length })}</li>
          )}
        </ol>
      )}
    </section>
  );
}

function PlaceRow({ place: { taskId, seq, field, kind, around } }: { place: MaskedPlace }): ReactNode {
  const t = useText();
  const { tree } = useShownTask();
  const where = seq === null ? t('share.ofTask') : t('share.event', { seq });
  return (
    <li>
      <span className="row">
        <span className="strong nowrap">{t(`share.kind.${kind}`)}</span>
        <span className="dim trunc">
          {tree.get(taskId)?.title ?? taskId} · {where} · {field}
        </span>
      </span>
      <code className="masked-text">{around}</code>
    </li>
  );
}
