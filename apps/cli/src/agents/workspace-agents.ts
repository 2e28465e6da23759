/** The agents of the folder that a task is about, for which the installation knows nothing of them. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { AGENTS_FOLDER, type CreateTaskInput } from '@bullpen/contracts';
import type { ExtensionProblem, WorkspaceAgents } from '@bullpen/extensions';
import type { GlobalOptions } from '../config.js';
import type { Context } from '../context.js';

/** The files to hand in with a task. What cannot be read is not among them: `bullpen agents` says why. */
export async function givenAgentFiles(
  { cwd }: Context,
  dir: string | undefined,
): Promise<Pick<CreateTaskInput, 'agentFiles'>> {
  const agentFiles = (await filesIn(resolve(cwd, dir ?? '.'))).flatMap((file) =>
    'text' in file ? [file] : [],
  );
  return agentFiles.length === 0 ? {} : { agentFiles };
}

/** The agents of the folder where the command was started, as this installation would take them. */
export async function agentsOfFolder(
  context: Context,
  options: GlobalOptions,
  taken: readonly string[],
): Promise<WorkspaceAgents> {
  const files = await filesIn(context.cwd);
  if (files.length === 0) return { agents: [], problems: [] };
  const [{ workspaceAgents }, { agentFileContext }] = await Promise.all([
    import('@bullpen/extensions'),
    import('./agent-file-context.js'),
  ]);
  const unread = files.flatMap((file): ExtensionProblem[] =>
    'problem' in file ? [{ file: file.path, line: null, message: file.problem }] : [],
  );
  const texts = files.flatMap((file) => ('text' in file ? [file] : []));
  const { agents, problems } = workspaceAgents(texts, taken, await agentFileContext(context, options));
  return { agents, problems: [...unread, ...problems] };
}

async function filesIn(folder: string) {
  // Most folders have none, and need nothing that reads them.
  if (!existsSync(join(folder, AGENTS_FOLDER))) return [];
  const { agentFilesIn } = await import('@bullpen/workspace');
  return agentFilesIn(folder, AGENTS_FOLDER);
}
