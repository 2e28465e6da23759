/** Assignments in front of a command, and by `export`: which of them other programs run or load. */
import { finding, type Finding } from './rules.js';
import type { Span } from './types.js';

/** Read as plain text or a number by whatever reads them. */
const HARMLESS =
  /^(NODE_ENV|CI|DEBUG|(FORCE|NO)_COLOR|CLICOLOR(_FORCE)?|COLUMNS|LINES|TZ|LANG|LC_(ALL|CTYPE|COLLATE)|TERM|RUST_(BACKTRACE|LOG)|LOG_LEVEL|VERBOSE|PORT|PYTHON(UNBUFFERED|DONTWRITEBYTECODE|HASHSEED))$/;

/** Choose which program or library runs, or what a shell or interpreter does first. */
const LOADERS =
  /^(LD_|DYLD_|BASH_|GIT_|NODE_|NPM_CONFIG_|npm_config_|PYTHON|PERL|RUBY|GCONV|LESS|JAVA_|_JAVA|JDK_|MAVEN_|GRADLE_|RUSTC|RUSTFLAGS|CARGO_(BUILD|TARGET)|GO(FLAGS|ROOT|PATH|BIN|PROXY)|DOTNET_|SSH_|SUDO_|DOCKER_|KUBE|AWS_|PG(SERVICE|PASS|SYSCONF)|XDG_)|^(PATH|IFS|ENV|SHELL|SHELLOPTS|BASHOPTS|PS[0-4]|PROMPT_COMMAND|CDPATH|GLOBIGNORE|HOME|PAGER|MANPAGER|EDITOR|VISUAL|BROWSER|FCEDIT|TMPDIR|LOCPATH|NLSPATH|TERMINFO|TERMCAP|HISTFILE|MAKEFLAGS|MFLAGS|RIPGREP_CONFIG_PATH|GREP_OPTIONS|TAR_OPTIONS|JQ_COLORS|CC|CXX|LD|AR|CPP|CFLAGS|LDFLAGS|HTTPS?_PROXY|https?_proxy|ALL_PROXY|POSIXLY_CORRECT)$/;

/** Variables whose value is a command. */
const COMMANDS =
  /^(GIT_(EDITOR|PAGER|SSH_COMMAND|SEQUENCE_EDITOR|EXTERNAL_DIFF|ASKPASS)|PAGER|MANPAGER|EDITOR|VISUAL|PROMPT_COMMAND|BROWSER)$/;

/** Whether a program runs the variable's value. */
export function isCommandVariable(name: string): boolean {
  return COMMANDS.test(name);
}

/** What speaks against an assignment; `value` is null when it is not known. */
export function judgeAssignment(name: string, value: string | null, span: Span): Finding | null {
  if (HARMLESS.test(name) && value !== null && /^[\w.,:*@%+ -]*$/.test(value)) return null;
  return LOADERS.test(name) && !HARMLESS.test(name)
    ? finding('dangerous.environment', `${name} decides what other programs load, run or do.`, span)
    : finding('subset.assignment', `${name} is not known to be harmless with this value.`, span);
}
