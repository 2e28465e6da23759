/** What a task and its subtasks cost: by model, by task, and what its tools did. */
import { count, duration, promptTokens } from '@bullpen/client';
import type { TaskUsageView, UsageTotals } from '@bullpen/contracts';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useText } from '../../../i18n/texts.js';
import { Cost } from '../../../ui/money.js';
import { StateMark } from '../../../ui/state-mark.js';
import { descendantsOf } from '../standing.js';
import { useShownTask, type TreeTask } from '../task-context.js';

interface CostRow {
  readonly key: string;
  readonly name: ReactNode;
  readonly usage: UsageTotals;
}

export function CostTab({ usage }: { usage: TaskUsageView | undefined }): ReactNode {
  const t = useText();
  const { task, tree } = useShownTask();
  if (usage === undefined) return null;
  if (usage.tree.modelCalls === 0) return <p className="blank mid">{t('costs.none')}</p>;
  const below = descendantsOf(tree.values(), task.id);
  const models = usage.byModel.map((each): CostRow => ({ key: each.model, name: each.model, usage: each }));
  const tasks = below.map((each): CostRow => ({
    key: each.id,
    name: <TaskName task={each} />,
    usage: each.usage,
  }));
  return (
    <div className="tab-body">
      <CostTable title={t('costs.byModel')} rows={models} />
      {tasks.length > 0 && (
        <CostTable
          title={t('costs.byTask')}
          rows={[{ key: task.id, name: t('costs.itself'), usage: usage.own }, ...tasks]}
        />
      )}
      {usage.toolCalls.length > 0 && <ToolTable tools={usage.toolCalls} />}
    </div>
  );
}

function TaskName({ task }: { task: TreeTask }): ReactNode {
  return (
    <span className="row">
      <StateMark {...task} />
      <Link className="trunc" to="/tasks/$taskId" params={{ taskId: task.id }}>
        {task.title}
      </Link>
    </span>
  );
}

function CostTable({ title, rows }: { title: string; rows: readonly CostRow[] }): ReactNode {
  const t = useText();
  return (
    <div className="boxed" tabIndex={0}>
      <table className="data-table costs">
        <thead>
          <tr>
            <th>{title}</th>
            <th className="r">{t('costs.calls')}</th>
            <th className="r">{t('costs.input')}</th>
            <th className="r">{t('costs.cached')}</th>
            <th className="r">{t('costs.output')}</th>
            <th className="r">{t('costs.cost')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, name, usage }) => (
            <tr key={key}>
              <td className="trunc">{name}</td>
              <td className="r">{usage.modelCalls}</td>
              <td className="r">{count(promptTokens(usage))}</td>
              <td className="r">{count(usage.cacheReadTokens)}</td>
              <td className="r">{count(usage.outputTokens)}</td>
              <td className="r">
                <Cost usage={usage} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function ToolTable({ tools }: { tools: TaskUsageView['toolCalls'] }): ReactNode {
  const t = useText();
  return (
    <div className="boxed" tabIndex={0}>
      <table className="data-table costs">
        <thead>
          <tr>
            <th>{t('costs.byTool')}</th>
            <th className="r">{t('costs.calls')}</th>
            <th className="r">{t('costs.errors')}</th>
            <th className="r">{t('costs.time')}</th>
          </tr>
        </thead>
        <tbody>
          {tools.map(({ tool, calls, errors, durationMs }) => (
            <tr key={tool}>
              <td>
                <code>{tool}</code>
              </td>
              <td className="r">{calls}</td>
              <td className="r">{errors}</td>
              <td className="r">{duration(durationMs)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
