/** All tools of an installation, whoever made them, and those that one task may use. */
import { AppError, type AgentDefinition } from '@bullpen/contracts';
import type { Tool } from '../ports/tool.js';
import { PRESENT_PLAN, SIGNAL } from '../task/autonomy.js';
import { SPAWN_SUBTASK, TAKE_CHANGES } from '../task/subtasks.js';

/** A tool that looks different from one definition to the next: its description, or the schema of its arguments. */
export interface ToolFor {
  readonly name: string;
  for(definition: AgentDefinition): Tool;
}

export class ToolRegistry {
  readonly #byName = new Map<string, Tool | ToolFor>();

  /** @throws AppError `config_invalid` when two tools have the same name. */
  constructor(tools: readonly (Tool | ToolFor)[]) {
    for (const tool of tools) {
      if (this.#byName.has(tool.name))
        throw new AppError('config_invalid', `There are two tools named ${tool.name}: rename one of them.`);
      this.#byName.set(tool.name, tool);
    }
  }

  /** In the order in which they were given. */
  get names(): readonly string[] {
    return [...this.#byName.keys()];
  }

  /**
   * The tools that a definition lists, in its order: the order is part of what the provider caches. A plan can be presented
   * whatever it lists: without that there would be no way out of `plan`; the same goes for work modes. Whoever can start subtasks can take what they change.
   */
  toolsOf(definition: AgentDefinition): ReadonlyMap<string, Tool> {
    return new Map(
      [...definition.tools, ...takers(definition), PRESENT_PLAN, ...signals(definition)].flatMap((name) => {
        const tool = this.#byName.get(name);
        return tool === undefined ? [] : [[name, 'for' in tool ? tool.for(definition) : tool] as const];
      }),
    );
  }

  /** Names that a definition lists and nobody here has. */
  missingFrom({ tools }: Pick<AgentDefinition, 'tools'>): readonly string[] {
    return tools.filter((name) => !this.#byName.has(name));
  }
}

function takers({ tools }: Pick<AgentDefinition, 'tools'>): readonly string[] {
  return tools.includes(SPAWN_SUBTASK) ? [TAKE_CHANGES] : [];
}

function signals({ machine }: Pick<AgentDefinition, 'machine'>): readonly string[] {
  return machine === undefined ? [] : [SIGNAL];
}
