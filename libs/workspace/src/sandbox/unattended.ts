/**
 * Environment for commands that nobody sits in front of: what would wait for a person fails at once and says so. An editor must fail,
 * not succeed without a change: git takes an unchanged list of commits as accepted, and rewrites them.
 */
export const UNATTENDED: Readonly<Record<string, string>> = {
  EDITOR: 'false',
  VISUAL: 'false',
  GIT_EDITOR: 'false',
  GIT_SEQUENCE_EDITOR: 'false',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: 'false',
  SSH_ASKPASS: 'false',
  SUDO_ASKPASS: '/bin/false',
  GIT_SSH_COMMAND: 'ssh -oBatchMode=yes',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  MANPAGER: 'cat',
  SYSTEMD_PAGER: 'cat',
  DEBIAN_FRONTEND: 'noninteractive',
  PIP_NO_INPUT: '1',
  // npx asks before it installs a program that is not there; without a terminal it would not even ask.
  npm_config_yes: 'false',
  npm_config_fetch_retries: '1',
  npm_config_fetch_retry_mintimeout: '200',
  npm_config_fetch_retry_maxtimeout: '500',
};
