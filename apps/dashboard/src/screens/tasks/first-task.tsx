/** The list before the first task: what to do, in place, and how the installation stands. */
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { systemQuery } from '../../app/queries/system.js';
import type { TextKey } from '../../i18n/keys.js';
import { useText } from '../../i18n/texts.js';
import { Button, ButtonLink } from '../../ui/button.js';
import { FailureNote } from '../../ui/failure-text.js';
import { Icon, type IconName } from '../../ui/icon.js';
import { useSubmitKey } from '../../ui/use-submit-key.js';
import { useCreateTask } from '../new/use-create-task.js';

export function FirstTask(): ReactNode {
  const t = useText();
  return (
    <div className="first-task">
      <div>
        <h2 className="first-title">{t('tasks.none')}</h2>
        <p className="mid say">{t('tasks.noneHow')}</p>
      </div>
      <FirstPrompt />
      <section>
        <h3 className="h2">{t('first.try')}</h3>
        <div className="try">
          {TRIES.map(({ key, autonomy }) => (
            <Link key={key} to="/new" search={{ prompt: t(`first.${key}Prompt`), autonomy }}>
              <span className="strong">{t(`first.${key}`)}</span>
              <small>{t(`first.${key}How`)}</small>
            </Link>
          ))}
        </div>
      </section>
      <SetUp />
    </div>
  );
}

const TRIES = [
  { key: 'ask', autonomy: 'agent' },
  { key: 'run', autonomy: 'agent' },
  { key: 'plan', autonomy: 'plan' },
] as const;

function FirstPrompt(): ReactNode {
  const t = useText();
  const navigate = useNavigate();
  const [prompt, setPrompt] = useState('');
  const creating = useCreateTask(({ id }) => void navigate({ to: '/tasks/$taskId', params: { taskId: id } }));
  const start = (text: string): void => {
    if (text.trim() !== '' && !creating.isPending) creating.mutate({ prompt: text.trim() });
  };
  const keys = useSubmitKey(start, 'mod');
  return (
    <div className="first-prompt">
      <textarea
        aria-label={t('new.prompt')}
        placeholder={t('first.placeholder')}
        value={prompt}
        rows={3}
        onChange={({ target }) => setPrompt(target.value)}
        {...keys}
      />
      {creating.error !== null && <FailureNote error={creating.error} />}
      <div className="row">
        <span className="grow" />
        <ButtonLink kind="quiet" small to="/new" search={prompt === '' ? {} : { prompt }}>
          {t('first.allSettings')}
        </ButtonLink>
        <Button
          kind="primary"
          disabled={prompt.trim() === '' || creating.isPending}
          onClick={() => start(prompt)}
        >
          {t('first.start')}
        </Button>
      </div>
    </div>
  );
}

function SetUp(): ReactNode {
  const t = useText();
  const { data: system } = useQuery(systemQuery);
  if (system === undefined) return null;
  const { version, queueBackend, workers, model } = system;
  const slots = workers.reduce((sum, worker) => sum + worker.slots, 0);
  return (
    <section>
      <h3 className="h2">{t('first.setUp')}</h3>
      <ul className="steps">
        <Step isDone title="first.isUp">
          {t('first.isUpHow', { version, queue: queueBackend })}
        </Step>
        <Step
          isDone={workers.length > 0}
          title={workers.length > 0 ? 'first.workers' : 'first.noWorkers'}
          values={{ n: workers.length, m: slots }}
        >
          {workers.length > 0 ? (
            [...new Set(workers.map(({ host }) => host))].join(', ')
          ) : (
            <code>npx bullpen up</code>
          )}
        </Step>
        <Step isDone={!model.simulated} title={model.simulated ? 'first.simulated' : 'first.model'}>
          {model.simulated ? t('first.simulatedHow') : model.baseUrl}
        </Step>
      </ul>
    </section>
  );
}

function Step(props: {
  isDone: boolean;
  title: TextKey;
  values?: Readonly<Record<string, number>>;
  children: ReactNode;
}): ReactNode {
  const { isDone, title, values, children } = props;
  const t = useText();
  const look: IconName = isDone ? 'completed' : 'queued';
  return (
    <li>
      <span className={`st ${look}`}>
        <Icon name={look} />
      </span>
      <span>
        {t(title, values)}
        <small>{children}</small>
      </span>
    </li>
  );
}
