/** What the level `unattended` means, in five lines. The same stands in docs/policy.md. */
export const UNATTENDED = `Level "unattended", in a sandbox:
  - It reads and changes the files of its workspace, and runs any program there, without asking you.
  - Protected files (git's settings, CI, rules for agents) cannot be changed; secrets and ignored files are not there.
  - It reaches no other files, processes or tasks of this machine, and no network but the hosts that a policy opens.
  - What would lose work for good, or publish, is denied: deleting the work, rewriting history, git push, npm publish.
  - Without a sandbox almost every command is denied: only those run that are known to just read.`;
