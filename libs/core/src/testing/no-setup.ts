/** For worlds whose workspaces have no setup command. */
import type { Tool } from '../ports/tool.js';

export const NO_SETUP: Tool = {
  ...{ name: 'run_command', description: 'Sets up nothing.', group: 'execute', resume: 'report' },
  inputSchema: { type: 'object' },
  parse: () => ({ ok: false, issues: ['no workspace is set up here'] }),
};
