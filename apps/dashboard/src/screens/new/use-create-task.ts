/** Submits a task. */
import type { CreateTaskInput, TaskView } from '@bullpen/contracts';
import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { bullpen } from '../../app/bullpen.js';

export function useCreateTask(
  onCreated: (task: TaskView) => void,
): UseMutationResult<TaskView, Error, CreateTaskInput> {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: CreateTaskInput) => bullpen.tasks.create(body),
    onSuccess: (task) => {
      void queries.invalidateQueries({ queryKey: ['tasks'] });
      onCreated(task);
    },
  });
}
