/** Assignments: in front of a command, and by `export`. */
import { finding, type Finding } from './rules.js';
import type { Span } from './types.js';

/** Read as plain text or a number by whatever reads them. */
const HARMLESS = new Set([
  ...[
    'NODE_ENV',
    'CI',
    'DEBUG',
    'FORCE_COLOR',
    'NO_COLOR',
    'CLICOLOR',
    'CLICOLOR_FORCE',
    'COLUMNS',
    'LINES',
    'TZ',
    'LANG',
  ],
  ...[
    'LC_ALL',
    'LC_CTYPE',
    'LC_COLLATE',
    'TERM',
    'RUST_BACKTRACE',
    'RUST_LOG',
    'CARGO_TERM_COLOR',
    'GOOS',
    'GOARCH',
  ],
  ...[
    'CGO_ENABLED',
    'GO111MODULE',
    'PYTHONUNBUFFERED',
    'PYTHONDONTWRITEBYTECODE',
    'PYTHONHASHSEED',
    'LOG_LEVEL',
    'VERBOSE',
  ],
  ...[
    'BABEL_ENV',
    'APP_ENV',
    'RAILS_ENV',
    'RACK_ENV',
    'FLASK_ENV',
    'VITE_MODE',
    'TEST_ENV',
    'NODE_DISABLE_COLORS',
    'PORT',
  ],
  ...[
    'UPDATE_SNAPSHOTS',
    'JEST_WORKER_ID',
    'TS_NODE_TRANSPILE_ONLY',
    'NX_DAEMON',
    'NX_SKIP_NX_CACHE',
    'TURBO_FORCE',
  ],
  ...['REQUIRE_SANDBOX', 'HUSKY', 'PGAPPNAME', 'COVERAGE', 'HEADLESS', 'SEED', 'WATCH', 'TEST', 'BENCH'],
]);

/** Choose which program or library runs, or what a shell or interpreter does first. */
const LOADERS =
  /^(LD_|DYLD_|BASH_|GIT_|NODE_|NPM_CONFIG_|npm_config_|PYTHON|PERL|RUBY|GCONV|LESS|JAVA_|_JAVA|JDK_|MAVEN_|GRADLE_|RUSTC|RUSTFLAGS|CARGO_(BUILD|TARGET)|GO(FLAGS|ROOT|PATH|BIN|PROXY)|DOTNET_|SSH_|SUDO_|DOCKER_|KUBE|AWS_|PG(SERVICE|PASS|SYSCONF)|XDG_)|^(PATH|IFS|ENV|SHELL|SHELLOPTS|BASHOPTS|PS[0-4]|PROMPT_COMMAND|CDPATH|GLOBIGNORE|HOME|PAGER|MANPAGER|EDITOR|VISUAL|BROWSER|FCEDIT|TMPDIR|LOCPATH|NLSPATH|TERMINFO|TERMCAP|HISTFILE|MAKEFLAGS|MFLAGS|RIPGREP_CONFIG_PATH|GREP_OPTIONS|TAR_OPTIONS|JQ_COLORS|CC|CXX|LD|AR|CPP|CFLAGS|LDFLAGS|HTTPS?_PROXY|https?_proxy|ALL_PROXY|POSIXLY_CORRECT)$/;

/** What speaks against an assignment; `value` is null when it is not known. */
export function judgeAssignment(name: string, value: string | null, span: Span): Finding | null {
  if (HARMLESS.has(name)) {
    if (value !== null && /^[\w.,:*@%+/ -]*$/.test(value) && !value.startsWith('/') && !value.includes('..'))
      return null;
    return finding('environment.unknown', `The value of ${name} is more than plain text.`, span);
  }
  if (LOADERS.test(name)) {
    return finding('dangerous.environment', `${name} decides what other programs load, run or do.`, span);
  }
  return finding('environment.unknown', `${name} is not among the variables known to be harmless.`, span);
}
