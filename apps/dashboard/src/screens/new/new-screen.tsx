/** A new task: what is to be done, by whom, where, how freely, and when it stops; beside it the same from elsewhere. */
import type { AgentView } from '@bullpen/contracts';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { useShortcuts } from '../../app/keys/shortcuts.js';
import { agentsQuery } from '../../app/queries/system.js';
import { useTitle } from '../../app/title.js';
import { useText } from '../../i18n/texts.js';
import { Button } from '../../ui/button.js';
import { FailureNote } from '../../ui/failure-text.js';
import { Select, TextArea } from '../../ui/fields.js';
import { say } from '../../ui/toast.js';
import { AutonomyCards } from './autonomy-cards.js';
import { Elsewhere } from './elsewhere.js';
import { bodyOf, EMPTY, faultOf, type NewTask } from './form.js';
import { LimitFields, MoreFields } from './limit-fields.js';
import { ModeFields } from './mode-fields.js';
import { ModelField } from './model-field.js';
import { PlaceFields } from './place-fields.js';
import { useCreateTask } from './use-create-task.js';

export function NewScreen(): ReactNode {
  const t = useText();
  const given = useSearch({ from: '/new' });
  const navigate = useNavigate();
  const { data: agents = [] } = useQuery(agentsQuery);
  const [form, setForm] = useState<NewTask>({
    ...EMPTY,
    prompt: given.prompt ?? '',
    agent: given.agent ?? EMPTY.agent,
    autonomy: given.autonomy ?? EMPTY.autonomy,
  });
  const [stays, setStays] = useState(false);
  const creating = useCreateTask(({ id, title }) => {
    if (!stays) return void navigate({ to: '/tasks/$taskId', params: { taskId: id } });
    say(t('new.started', { title }));
    setForm({ ...form, prompt: '', title: '' });
  });
  const change = (part: Partial<NewTask>): void => setForm((before) => ({ ...before, ...part }));
  const fault = faultOf(form);
  const start = (staying: boolean): void => {
    if (fault !== null || creating.isPending) return;
    setStays(staying);
    creating.mutate(bodyOf(form));
  };
  useTitle(t('nav.new'));
  useShortcuts({ 'mod+Enter': () => start(false) });
  return (
    <>
      <div className="topbar">
        <h1>{t('nav.new')}</h1>
      </div>
      <div className="form">
        <div className="left">
          <TaskFields
            form={form}
            fault={fault}
            agents={agents}
            onChange={change}
            onSubmit={() => start(false)}
          />
          <div className="acts row">
            <Button
              kind="primary"
              className="first"
              shortcut="Ctrl ↵"
              disabled={fault !== null || creating.isPending}
              onClick={() => start(false)}
            >
              {t('new.start')}
            </Button>
            <Button disabled={fault !== null || creating.isPending} onClick={() => start(true)}>
              {t('new.startAndStay')}
            </Button>
            <span className="grow" />
            {fault !== null && fault !== 'nothing' && (
              <span className="warnv">{t(`new.fault.${fault}`)}</span>
            )}
          </div>
          {creating.error !== null && <FailureNote error={creating.error} />}
        </div>
        <Elsewhere form={form} />
      </div>
    </>
  );
}

function TaskFields(props: {
  form: NewTask;
  fault: ReturnType<typeof faultOf>;
  agents: readonly AgentView[];
  onChange: (part: Partial<NewTask>) => void;
  onSubmit: () => void;
}): ReactNode {
  const { form, fault, agents, onChange, onSubmit } = props;
  const t = useText();
  const agent = agents.find(({ name }) => name === form.agent);
  return (
    <div className="wrap">
      <TextArea
        label={t('new.prompt')}
        rows={6}
        value={form.prompt}
        onChange={(prompt) => onChange({ prompt })}
        onSubmit={onSubmit}
      />
      {agent?.inputSchema != null && (
        <TextArea
          label={t('new.input')}
          hint={t(fault === 'input' ? 'new.inputWrong' : 'new.inputHow')}
          code
          value={form.input}
          onChange={(input) => onChange({ input })}
        />
      )}
      <div className="cols2">
        <Select
          label={t('tasks.agent')}
          hint={agent?.description}
          value={form.agent}
          options={(agents.length === 0 ? [{ name: form.agent }] : agents).map(({ name }) => ({
            value: name,
            label: name,
          }))}
          onChange={(name) => onChange({ agent: name })}
        />
        <ModelField model={form.model} ofAgent={agent?.model} onChange={(model) => onChange({ model })} />
      </div>
      <PlaceFields form={form} onChange={onChange} />
      <AutonomyCards value={form.autonomy} onChange={(autonomy) => onChange({ autonomy })} />
      <ModeFields form={form} onChange={onChange} />
      <LimitFields form={form} defaults={agent?.limits} onChange={onChange} />
      <MoreFields form={form} onChange={onChange} />
    </div>
  );
}
