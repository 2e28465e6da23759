/** Names of the tools for subtasks that depend on each other. */
export const SPAWN_SUBTASK = 'spawn_subtask';
export const TAKE_CHANGES = 'take_changes';
