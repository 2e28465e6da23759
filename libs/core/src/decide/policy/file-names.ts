/**
 * Names of files that need a person's approval: secrets (to read and to write) and files that tell other programs what to do (to
 * write). Names are compared without case, in one Unicode form, without trailing dots and blanks: file systems differ in these.
 */

const SECRET_ANYWHERE = new Set([
  ...['.ssh', '.aws', '.gnupg', '.azure', '.kube', '.netrc', '_netrc', '.pgpass', '.my.cnf', '.mylogin.cnf'],
  ...[
    '.npmrc',
    '.pypirc',
    '.git-credentials',
    '.htpasswd',
    '.vault-token',
    '.terraformrc',
    '.boto',
    '.s3cfg',
  ],
  ...[
    '.bash_history',
    '.zsh_history',
    '.node_repl_history',
    '.psql_history',
    '.password-store',
    '.cargo-credentials',
  ],
  ...['shadow', 'gshadow', 'shadow-', 'sudoers', 'sudoers.d', 'master.passwd', 'gcloud', 'keychains', '.gem'],
]);
const SECRET_FILES = new Set([
  ...[
    'credentials',
    'credentials.json',
    'credentials.csv',
    'credentials.toml',
    'terraform.tfstate',
    'environ',
  ],
  ...['secrets.yml', 'secrets.yaml', 'secrets.json', 'secrets.env', 'service-account.json', 'wallet.dat'],
  ...['application_default_credentials.json', '.dockercfg', 'kubeconfig', 'auth.json'],
]);
const SECRET_PATTERN =
  /^id_(rsa|dsa|ecdsa|ed25519)([._-](?!pub$).*)?$|\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc)$/s;
const ENV_FILE = /^\.env(rc)?([._-].*)?$/s;
const ENV_SAMPLE = /^\.env[._-](example|sample|template|dist|defaults?)$/;

/** Names of files that tell other programs what to do, anywhere in a path. */
const OBEYED_NAMES: ReadonlySet<string> = new Set([
  ...[
    '.git',
    '.hg',
    '.svn',
    '.bzr',
    '.jj',
    'head',
    '.gitmodules',
    '.gitattributes',
    '.gitconfig',
    '.githooks',
  ],
  ...[
    '.github',
    '.gitlab',
    '.gitlab-ci.yml',
    '.circleci',
    '.travis.yml',
    '.drone.yml',
    'jenkinsfile',
    '.buildkite',
  ],
  ...[
    'azure-pipelines.yml',
    'bitbucket-pipelines.yml',
    '.woodpecker.yml',
    '.ci',
    'appveyor.yml',
    '.cirrus.yml',
  ],
  ...['.husky', 'lefthook.yml', '.lefthook.yml', '.pre-commit-config.yaml', '.overcommit.yml'],
  ...[
    '.vscode',
    '.idea',
    '.devcontainer',
    '.zed',
    '.fleet',
    '.editorconfig',
    '.claude',
    '.claude.json',
    '.codex',
  ],
  ...[
    '.gemini',
    '.cursor',
    '.cursorrules',
    '.cursorignore',
    '.roo',
    '.roomodes',
    '.roorules',
    '.rooignore',
    '.cline',
  ],
  ...[
    '.clinerules',
    '.windsurf',
    '.windsurfrules',
    '.aider.conf.yml',
    '.continue',
    '.opencode',
    '.kiro',
    '.mcp.json',
  ],
  ...[
    'mcp.json',
    '.bullpen',
    '.bullpenignore',
    '.agents',
    'agents.md',
    'claude.md',
    'claude.local.md',
    'gemini.md',
  ],
  ...[
    '.bashrc',
    '.bash_profile',
    '.bash_login',
    '.bash_logout',
    '.bash_aliases',
    '.profile',
    '.zshrc',
    '.zshenv',
  ],
  ...[
    '.zprofile',
    '.zlogin',
    '.kshrc',
    '.cshrc',
    '.tcshrc',
    '.inputrc',
    '.vimrc',
    '.exrc',
    '.nanorc',
    '.screenrc',
  ],
  ...[
    '.tmux.conf',
    '.wgetrc',
    '.curlrc',
    '.ripgreprc',
    '.lesskey',
    '.gdbinit',
    '.pythonrc',
    '.pdbrc',
    '.sqliterc',
  ],
  ...[
    '.psqlrc',
    '.jq',
    '.yarnrc',
    '.yarnrc.yml',
    '.pnpmfile.cjs',
    '.pnp.cjs',
    '.pnp.loader.mjs',
    'node_modules',
  ],
  ...[
    '.config',
    '.local',
    '.tool-versions',
    'mise.toml',
    '.mise.toml',
    '.nvmrc',
    '.venv',
    'sitecustomize.py',
  ],
  ...['usercustomize.py', 'authorized_keys', 'known_hosts', '.cargo', 'crontab', '.direnv', '.docker'],
]);

/** Whether a path names a file that holds secrets. */
export function isSecretFile(path: string): boolean {
  const parts = pathNames(path);
  const last = parts.at(-1) ?? '';
  if (SECRET_FILES.has(last) || SECRET_PATTERN.test(last)) return true;
  return parts.some((part) => SECRET_ANYWHERE.has(part) || (ENV_FILE.test(part) && !ENV_SAMPLE.test(part)));
}

/** Whether a path names a file that tells other programs what to do: version control, CI, agents' rules, start-up files. */
export function isObeyedFile(path: string): boolean {
  return pathNames(path).some((part) => OBEYED_NAMES.has(part));
}

/** The names of a path in the form in which names are compared. */
export function pathNames(path: string): string[] {
  return path
    .split(/[/\\]/)
    .map((part) =>
      part
        .normalize('NFKC')
        .toLowerCase()
        .replace(/[. ]+$/, ''),
    )
    .filter((part) => part !== '');
}
