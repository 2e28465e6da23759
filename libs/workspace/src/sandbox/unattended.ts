import { BOX_USER } from './own-files.js';

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

/** What every command has in its environment beside its PATH and its folders. C.UTF-8 gives plain messages and whole characters on every machine. */
export const PLAIN: Readonly<Record<string, string>> = {
  LANG: 'C.UTF-8',
  LC_ALL: 'C.UTF-8',
  TERM: 'dumb',
  ...UNATTENDED,
};

/** The same for a command that is a user of its own in a box. */
export const IN_A_BOX: Readonly<Record<string, string>> = {
  HOME: BOX_USER.home,
  // Short, because sockets in it have short paths.
  TMPDIR: '/tmp',
  USER: BOX_USER.name,
  LOGNAME: BOX_USER.name,
  SHELL: '/bin/bash',
  ...PLAIN,
};
