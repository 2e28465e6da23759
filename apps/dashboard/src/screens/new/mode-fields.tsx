/** Whether the task works in modes, what those ask for, and in which one its words would begin. */
import { ModeAsks, Workflow } from '@bullpen/contracts';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { bullpen } from '../../app/bullpen.js';
import { useText } from '../../i18n/texts.js';
import { Select } from '../../ui/fields.js';
import { useQuiet } from '../../ui/use-quiet.js';
import type { NewTask } from './form.js';

export function ModeFields(props: { form: NewTask; onChange: (part: Partial<NewTask>) => void }): ReactNode {
  const { form, onChange } = props;
  const t = useText();
  return (
    <>
      <div className="cols2">
        <Select
          label={t('modes.workflow')}
          hint={t(`modes.workflow.${form.workflow}How`)}
          value={form.workflow}
          options={Workflow.options.map((value) => ({ value, label: t(`modes.workflow.${value}`) }))}
          onChange={(workflow) => onChange({ workflow })}
        />
        {form.workflow === 'fsm' && (
          <Select
            label={t('modes.asksFor')}
            value={form.modeAsks}
            options={[
              { value: '', label: t('modes.asksItself') },
              ...ModeAsks.options.map((value) => ({ value, label: t(`modes.asks.${value}`) })),
            ]}
            onChange={(modeAsks) => onChange({ modeAsks })}
          />
        )}
      </div>
      {form.workflow === 'fsm' && <Suggestion prompt={form.prompt} />}
    </>
  );
}

/** What the gateway makes of the words, once nobody types. */
function Suggestion({ prompt }: { prompt: string }): ReactNode {
  const t = useText();
  const text = useQuiet(prompt.trim());
  const { data } = useQuery({
    queryKey: ['modes', 'suggest', text],
    enabled: text !== '',
    queryFn: ({ signal }) => bullpen.modes.suggest({ text }, { signal }),
    staleTime: Infinity,
  });
  if (data === undefined || text === '') return null;
  const { mode, confidence, isSure, reason } = data;
  return (
    <p className={isSure ? 'hint' : 'hint warnv'} role="status">
      {t(isSure ? 'modes.seems' : 'modes.unsure', { mode, percent: Math.round(confidence * 100), reason })}
    </p>
  );
}
