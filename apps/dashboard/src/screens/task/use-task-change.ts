/** A change of the shown task; what the gateway answers is shown at once. */
import type { BullpenClient } from '@bullpen/client';
import type { TaskView } from '@bullpen/contracts';
import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { bullpen } from '../../app/bullpen.js';
import { taskQuery } from '../../app/queries/tasks.js';

export function useTaskChange<Input = void>(
  change: (tasks: BullpenClient['tasks'], input: Input) => Promise<TaskView>,
): UseMutationResult<TaskView, Error, Input> {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (input: Input) => change(bullpen.tasks, input),
    onSuccess: (task) => {
      queries.setQueryData(taskQuery(task.id).queryKey, task);
      void queries.invalidateQueries({ queryKey: ['tree', task.rootId] });
    },
  });
}
