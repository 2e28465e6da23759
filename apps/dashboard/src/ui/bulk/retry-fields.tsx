/** What one may change before many tasks are tried again. */
import type { ReactNode } from 'react';
import { useText } from '../../i18n/texts.js';
import { Choice } from '../choice.js';
import { TextField } from '../fields.js';
import { ROOM_TEXTS, type RetryHow, type Room } from './retry-how.js';

const MODES = ['resume', 'new'] as const;

export function RetryFields(props: {
  how: RetryHow;
  /** The limits that some of them have reached. */
  rooms: readonly Room[];
  onChange: (how: RetryHow) => void;
}): ReactNode {
  const { how, rooms, onChange } = props;
  const t = useText();
  return (
    <>
      <Choice
        label={t('bulk.how')}
        value={how.mode}
        onChange={(mode) => onChange({ ...how, mode })}
        options={MODES.map((value) => ({
          value,
          label: t(`ways.${value}Text`),
          hint: t(`ways.${value}Hint`),
        }))}
      />
      {rooms.map((room) => (
        <TextField
          key={room}
          label={t(ROOM_TEXTS[room])}
          hint={t('bulk.roomHow')}
          {...(room === 'costUsd' && { before: '$' })}
          inputMode={room === 'costUsd' ? 'decimal' : 'numeric'}
          value={how.limits[room] ?? ''}
          onChange={(text) => onChange({ ...how, limits: { ...how.limits, [room]: text } })}
        />
      ))}
    </>
  );
}
