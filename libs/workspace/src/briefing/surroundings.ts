/** What this machine has to say about the places of tasks. */
import type { Briefing, HostRules, RuleFile } from '@bullpen/contracts';
import { opensHosts, type MediaStore, type Surroundings, type TaskRecord } from '@bullpen/core';
import { contextItems, mediaOf, type ReadPage } from './context-items.js';
import { environmentText } from './environment.js';
import { projectRules } from './project-rules.js';

export interface SurroundingsOptions {
  /** Where commands find programs, as in PATH. */
  readonly commandPath: string;
  /** What holds the commands of tasks. */
  readonly sandbox: string;
  /** Reads pages; `network` says which hosts stay closed. */
  readonly pages: (network: HostRules) => ReadPage;
  /** Where pictures and documents are kept. */
  readonly media: MediaStore;
  readonly now: () => number;
}

export class MachineSurroundings implements Surroundings {
  constructor(private readonly options: SurroundingsOptions) {}

  async brief(
    task: TaskRecord,
    workspacePath: string,
    network: HostRules,
    signal: AbortSignal,
  ): Promise<Briefing> {
    const { commandPath, sandbox, pages, media, now } = this.options;
    const runs = task.definition.tools.includes('run_command');
    const environment = await environmentText(
      {
        workspacePath,
        commandPath: runs ? commandPath : null,
        commands: runs ? commandsText(sandbox, network) : null,
        gitPath: commandPath,
        now: new Date(now()),
      },
      signal,
    );
    return {
      environment,
      rules: [...(await projectRules(workspacePath, ['']))],
      items: [
        ...(await contextItems(
          task.contextItems,
          { workspacePath, readPage: pages(network), media: mediaOf(media, task.tenantId) },
          signal,
        )),
      ],
    };
  }

  rulesIn(workspacePath: string, folders: readonly string[]): Promise<readonly RuleFile[]> {
    return projectRules(workspacePath, folders);
  }
}

function commandsText(sandbox: string, network: HostRules): string {
  if (sandbox === 'none') return 'each runs in a new bash, without a sandbox';
  const way = opensHosts(network) ? `with a way to ${network.allow.join(', ')} only` : 'without network';
  return `each runs in a new bash, in a sandbox that holds the workspace, ${way}`;
}
