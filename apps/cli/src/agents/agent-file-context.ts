/** What agent files may name here: the tools of this installation. */
import { loadExtensions } from '@bullpen/extensions';
import { BUILT_IN_TOOLS, schemaIssues } from '@bullpen/tools';
import type { GlobalOptions } from '../config.js';
import type { Context } from '../context.js';
import { findHome } from '../place.js';

export async function agentFileContext({ cwd, env }: Context, options: GlobalOptions) {
  const modules = (env['EXTENSIONS'] ?? '').split(',').map((name) => name.trim());
  const { toolNames } = await loadExtensions({
    ...{ home: findHome(options, env, cwd), builtInTools: BUILT_IN_TOOLS, schemaIssues },
    modules: modules.filter((name) => name !== ''),
  });
  return { toolNames, schemaIssues };
}
