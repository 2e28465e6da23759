/** The to-do list that the agent keeps. */
import type { TodoItem } from '@bullpen/contracts';
import type { ReactNode } from 'react';
import { useText } from '../../../i18n/texts.js';
import { Icon } from '../../../ui/icon.js';
import { Section } from './section.js';

const LOOKS = {
  completed: ['did', 'completed'],
  in_progress: ['doing', 'running'],
  pending: ['', 'queued'],
} as const;

/** `hasFailed`: what was under way when the task ended is what it failed at. */
export function Todos({ todos, hasFailed }: { todos: readonly TodoItem[]; hasFailed: boolean }): ReactNode {
  const t = useText();
  if (todos.length === 0) return null;
  const done = todos.filter(({ status }) => status === 'completed').length;
  return (
    <Section
      title={t('details.todos')}
      figure={<span className="dim num">{t('details.doneOf', { done, all: todos.length })}</span>}
    >
      <ul>
        {todos.map(({ text, status }, index) => {
          const [className, look] = LOOKS[status];
          const icon = status === 'in_progress' && hasFailed ? 'failed' : look;
          return (
            <li key={index} className={className}>
              <span className={`st ${icon}`} role="img" aria-label={t(`todo.${status}`)}>
                <Icon name={icon} />
              </span>
              <span>{text}</span>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}
