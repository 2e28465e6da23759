/**
 * The programs that only read, as data. A row: names, `;`, operands, `;`, flags. A flag that is not here is one that may run a program,
 * write a file, read a list of files or connect: look through the manual for these before you add a row.
 *
 * Kinds of values: `in` a path that is read; `num`; `only` names to which a search is limited; those of `VALUES` below; `text` anything
 * else; `command` a command, up to the end, which is judged by itself. `kind*`: any number of operands.
 * Marks: `?` a value only when attached; `+` one of the flags so marked must be given; `!` (of a flag or program) it reads all that lies
 * below its operands, of git: it shows contents; `@` it follows the links there; `^` behind the first operand it takes no flags.
 */
const TABLE = `
cat; in*; -n -b -s -A -E -T -v -e -t -u --number
head tail; in*; -# -n:num -c:num -q -v -z --lines:num --bytes:num --quiet --verbose
wc; in*; -l -w -c -m -L --lines --words --bytes --chars
file; in*; -b -i -h -k -N -n -r -0 --brief --mime --mime-type
stat; in*; -c:text -f -L -t --format:text --printf:text --terse --dereference
ls dir; in*; -a -A -l -h -t -r -R -S -1 -d -i -s -F -p -G -g -o -n -u -c -U -X -v -x -C -m -N -Q -q -b -B -k -L@ -H -Z -f -w:num -I:text --all
  --human-readable --reverse --recursive --size --color? --sort:word --time:word --group-directories-first --directory --ignore:text --inode
  --dereference@
du; in*; -a -b -c -h -k -m -s -S -x -L@ -D -H -P -l -0 -d:num -t:num -B:word --all --apparent-size --bytes --human-readable --max-depth:num
  --summarize --exclude:text
df; in*; -a -h -H -i -k -l -P -T -t:word -x:word -B:word --all --human-readable --output? --type:word
tree; in*; -a -d -f -i -l@ -x -p -s -h -u -g -D -F -q -N -Q -C -n -t -c -U -r -v -J -X -S -A -L:num -P:text -I:text --dirsfirst --noreport --du
  --prune --gitignore --sort:word
basename dirname; text*; -a -s:text -z --multiple --suffix:text --zero
realpath readlink; in*; -e -f -m -n -q -s -z -L -P --relative-to:in --relative-base:in --canonicalize --canonicalize-existing
grep egrep fgrep; pattern in*; -# -a -b -c -E -F -G -H -h -I -i -L -l -n -o -P -q -r! -R!@ -s -U -v -w -x -y -z -Z -T -A:num -B:num -C:num -m:num
  -e:pattern -f:in --after-context:num --before-context:num --context:num --max-count:num --regexp:pattern --file:in --extended-regexp --ignore-case
  --word-regexp --invert-match --count --color? --files-without-match --files-with-matches --only-matching --quiet --with-filename --line-number
  --text --include:only --exclude:text --exclude-dir:text --recursive! --dereference-recursive!@
rg!; pattern in*; -# -a -b -c -F -H -h -I -i -l -n -N -o -P -p -q -s -S -U -v -w -x -0 -A:num -B:num -C:num -m:num -e:pattern -g:only -t:word
  -T:word -j:num -M:num -r:text -d:num --glob:only --iglob:only --type:word --files-with-matches --files-without-match --count --ignore-case
  --word-regexp --invert-match --line-number --heading --with-filename --only-matching --context:num --after-context:num --before-context:num
  --max-count:num --max-depth:num --color:word --json --pretty --quiet --replace:text --regexp:pattern --sort:word
rg; in*; --files+ -g:text --glob:text --hidden --no-ignore --sort:word -t:word --type:word
sort; in*; -b -d -f -g -h -i -M -n -R -r -V -c -C -m -s -u -z -k:word -t:text --key:word --field-separator:text --numeric-sort --reverse --unique
  --human-numeric-sort --ignore-case --check? --sort:word
uniq; in; -c -d -D -i -u -z -f:num -s:num -w:num --count --repeated --ignore-case --unique
cut; in*; -b:word -c:word -d:text -f:word -n -s -z --bytes:word --characters:word --delimiter:text --fields:word --complement
tr; text text; -c -C -d -s -t --complement --delete
nl; in*; -b:text -n:word -s:text -v:num -w:num -i:num
tac rev fold fmt expand; in*; -b -s -i -t -u -w:num --spaces --width:num
column; in*; -t -s:text -o:text -N:text -x -c:num --table --separator:text
paste; in*; -d:text -s -z --delimiters:text --serial
comm; in in; -# -1 -2 -3 -z
join; in in; -1:num -2:num -t:text -a:num -v:num -i -j:num -o:word
cmp; in in num num; -b -l -s -i:word -n:num --quiet --verbose
diff!@; in in; -# -a -b -B -c -d -e -i -n -N -p -q -r -s -t -T -u -w -y -Z -E -C:num -U:num -W:num -x:text -I:text -L:text --brief --unified?
  --context? --side-by-side --recursive --new-file --ignore-case --ignore-all-space --ignore-space-change --color? --width:num --exclude:text
  --label:text --text
md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum; in*; -b -t -z --binary --text --tag --zero
base64 base32; in; -d -i -w:num --decode --wrap:num
od; in*; -A:word -t:word -N:num -j:num -v -c -x -a -b -d -o
hexdump; in*; -C -b -c -d -o -x -v -n:num -s:num
xxd^; in; -p -u -b -i -c:num -g:num -l:num -s:num
strings; in*; -# -a -n:num -t:word -e:word -f --bytes:num
zcat; in*;
seq; num num num; -s:text -w -f:text --separator:text
sed; sed in*; -n -E -r -s -u -z -e:sed --quiet --regexp-extended --expression:sed
awk gawk mawk; awk in*; -F:text -v:text --field-separator:text --assign:text
jq; jq in*; -r -c -s -n -e -S -M -C -j -a -R --raw-output --compact-output --slurp --null-input --exit-status --sort-keys --monochrome-output
  --color-output --join-output --tab --indent:num --raw-input
tar; text*; -t+ -v -z -j -J -f:archive --list+ --gzip --file:archive --verbose
unzip; in text*; -l+ -v -q
echo true false :; text*; -e -n -E
printf; format text*;
pwd; ; -L -P
test [; test*; *
exit; num;
type; text*; -a -t -p -P -f
which; text*; -a -s
whereis; text*; -b -m -s
sleep; num;
date; date; -u -R -I? -d:text --utc --universal --date:text
cal; num num; -3 -1 -y -m
whoami arch tty; ;
id groups; word; -u -g -G -n -r
uname; ; -a -s -n -r -v -m -p -i -o --all
hostname; ; -f -s -i -I -d --fqdn --short
nproc; ; --all
uptime; ; -p -s
free; ; -b -k -m -g -h -t -w --human --mega --giga
lscpu; ; -J
ps; ps; -a -A -e -f -F -l -x -u:word -o:word -p:word -C:word -w -H --forest --sort:word
pgrep; pattern; -l -a -f -n -o -c -x
node npm python python3 java javac gcc g++ clang cc make cmake perl ruby php docker psql sqlite3; ; --version+ -version+ -V+
node; ; -v+
git; ; --version+ -v+
git status; path*; -s -b -z -u? --short --branch --porcelain? --long --untracked-files? --ignored?
git log; rev*; -# -n:num -p! -u! -c! --patch! --cc! -U:num! -S:text! -G:text! -W! -i -E -z --stat? --shortstat --numstat --name-only --name-status
  --oneline --graph --all --branches? --tags? --remotes? --decorate? --no-decorate --pretty? --format:pretty --date:word --abbrev-commit --abbrev?
  --max-count:num --skip:num --since:text --after:text --until:text --before:text --author:text --committer:text --grep:text --no-merges --merges
  --first-parent --reverse --follow --topo-order --date-order --no-color --color? --summary --no-patch -s
git show!; rev*; -s --stat? --shortstat --numstat --name-only --name-status --oneline --pretty? --format:pretty --date:word --abbrev-commit
  --no-patch --no-color --color? -U:num -w -p --patch --summary
git diff!; rev*; -p -u -s -U:num -b -w -M -C -R -z -q --patch --unified? --stat? --shortstat --numstat --summary --name-only --name-status --cached
  --staged --merge-base --diff-filter:word --no-color --color? --word-diff? --ignore-all-space --ignore-space-change --exit-code --quiet --check
  --raw --no-patch
git grep!; pattern rev*; -# -a -i -w -v -h -H -E -F -G -P -n -l -L -z -c -p -W -I -r -q -A:num -B:num -C:num -e:pattern --ignore-case --word-regexp
  --line-number --files-with-matches --name-only --count --extended-regexp --cached --and --or --not --heading --break --max-depth:num --color?
git blame!; rev*; -l -t -s -e -w -f -n -p -c -b -M -C -L:range --porcelain --date:word --since:text
git rev-list; rev*; -# -n:num --count --all --max-count:num --since:text --until:text --no-merges --merges --first-parent --reverse --oneline
  --parents
git shortlog; rev*; -s -n -e -c --summary --numbered --email --no-merges --all --since:text --until:text
git describe; rev*; --tags --all --always --long --dirty? --abbrev:num --match:text --exact-match --first-parent
git rev-parse; rev*; -q --short? --verify --abbrev-ref? --show-toplevel --show-prefix --git-dir --git-common-dir --is-inside-work-tree
  --is-bare-repository --all --branches --tags --quiet
git ls-files; path*; -c -d -o -i -s -u -m -k -t -v -z --cached --deleted --others --ignored --stage --unmerged --modified --exclude-standard
  --error-unmatch --directory --eol --full-name
git ls-tree; rev*; -r -t -d -l -z --name-only --name-status --long --full-name --full-tree --abbrev? --object-only
git cat-file; rev; -t+ -s+ -e+
git for-each-ref; text*; --sort:text --count:num --merged? --contains? --format:pretty
git merge-base; rev*; -a --all --octopus --is-ancestor --fork-point
git count-objects; ; -v -H --verbose --human-readable
git check-ignore; path*; -v -q -n --verbose --quiet --non-matching
git branch; rev; -a -r -v -l+ --list+ -i --all --remotes --verbose --show-current+ --merged?+ --no-merged?+ --contains?+ --points-at:text+
  --sort:text --no-color --color?
git branch; ; -a -r -v --all --remotes --verbose --sort:text --no-color --color?
git tag; text*; -l+ --list+ -n? --sort:text --merged?+ --contains?+ --points-at:text+
git tag; ; -n? --sort:text
git remote; ; -v --verbose
git stash list; ; -# -n:num --oneline --stat --name-only
git worktree list; ; -v --verbose --porcelain
git config; key; --get --get-all --local --global --show-origin
git config; ; -l --list --name-only+
git reflog; rev; -# -n:num --oneline --date:word
timeout; word command; -k:word -s:word -v --kill-after:word --signal:word --preserve-status --foreground --verbose
nice; command; -# -n:num --adjustment:num
nohup command builtin env; command;
time; command; -p
stdbuf; command; -i:word -o:word -e:word
xargs; command; -0 -r -t -n:num -P:num -L:num --null --no-run-if-empty --max-args:num --max-procs:num
`;

/** What a value must look like. */
export const VALUES: Readonly<Record<string, RegExp>> = {
  num: /^[-+]?\d+(\.\d+)?[a-zA-Z%]*$/,
  word: /^[\w.,:@%+-]*$/,
  text: /^/,
  pattern: /^/,
  only: /^/,
  in: /^/,
  path: /^/,
  rev: /^/,
  archive: /^[^:]*$/,
  // Statements that print, delete or change text; none that runs, reads or writes (`e`, `w`, `r`, and `e` and `w` behind `s///`).
  sed: sedScript(),
  // No pipe, no other file, no program; a comparison only where nothing is printed, else it might be a redirection.
  awk: /^(?![^]*(@|getline|system|close|fflush|ARG|ENVIRON))(?![^]*print[^]*[<>])(?![^]*[<>][^]*print)([^|]|\|\|)*$/,
  jq: /^(?![^]*(\b(import|include)\b|\$ENV|(^|[^."\w])env\b))/,
  // `%n` and other conversions set variables.
  format: /^(?!-)([^%]|%%|%[-+ #0]*\d*(\.\d+)?[bcdeEfgGiosuqxX])*$/,
  // `-v` and `-R` read a name as an expression, which may hold a command.
  test: /^(?!-(v|R)$)/,
  // Without the plus it would set the clock.
  date: /^\+/,
  // The BSD letter `e` shows the environment of processes.
  ps: /^[afhjlruwx]*$/,
  // `%G…` calls the program that checks signatures.
  pretty: /^(?![^]*%G)/,
  range: /^[\w,+/-]*$/,
  key: /^(user\.(name|email)|(core|init|pull|push|branch|color|merge)\.[\w./-]+|remote\.[\w-]+\.(url|fetch))$/,
};

function sedScript(): RegExp {
  const address = String.raw`(\d+|\$|\/([^/\\\n[]|\\.|\[[^\]\\/\n]*\])+\/I?)`;
  const body = String.raw`((?!\k<d>)[^\\\n[]|\\.|\[\^?(?!\k<d>)[^\]\\\n](?:(?!\k<d>)[^\]\\\n])*\])`;
  const substitution = String.raw`s(?<d>[/|#,])${body}*\k<d>((?!\k<d>)[^\\\n]|\\.)*\k<d>[gpIi\d]*`;
  return new RegExp(`^\\s*${statementOf(address, substitution)}\\s*$`);
}

/** One substitution at most: the delimiter has a name, which a pattern can give only once. */
function statementOf(address: string, substitution: string): string {
  const plain = `(${address}(,(\\+?\\d+|${address}))?\\s*!?\\s*)?[pdqnNDPGHghx=l]`;
  const changing = `(${address}(,(\\+?\\d+|${address}))?\\s*!?\\s*)?${substitution}`;
  return `(${plain}\\s*[;\\n]\\s*)*(${plain}|${changing})`;
}

export interface Flag {
  /** Of the value; null: it takes none. */
  readonly kind: string | null;
  readonly isOptional: boolean;
  readonly isNeeded: boolean;
  readonly isDeep: boolean;
  readonly followsLinks: boolean;
}

export interface Row {
  readonly operands: readonly string[];
  readonly flags: ReadonlyMap<string, Flag>;
  readonly isDeep: boolean;
  readonly followsLinks: boolean;
  /** Behind the first operand everything is one, whatever it begins with. */
  readonly flagsFirst: boolean;
  /** Its words are operands, whatever they begin with. */
  readonly takesAny: boolean;
}

const ROWS = new Map<string, Row[]>();
for (const line of TABLE.trim().split(/\n(?! )/)) {
  const [names = '', operands = '', flags = ''] = line.replace(/\s+/g, ' ').split(/; ?/);
  const words = flags.split(' ').filter((word) => word !== '');
  const row = {
    operands: operands.split(' ').filter((word) => word !== ''),
    flags: new Map(words.filter((word) => word !== '*').map(readFlag)),
    isDeep: names.includes('!'),
    followsLinks: names.includes('@'),
    flagsFirst: names.includes('^'),
    takesAny: flags === '*',
  };
  const plain = names.replace(/!@?$|\^$/, '');
  for (const name of plain.startsWith('git ') ? [plain] : plain.split(' '))
    ROWS.set(name, [...(ROWS.get(name) ?? []), row]);
}

function readFlag(text: string): [string, Flag] {
  const [, name = '', kind, marks = ''] = /^(-[^:?+!@]+)(?::(\w+))?([?+!@]*)$/.exec(text) ?? [];
  const has = (mark: string): boolean => marks.includes(mark);
  const isOptional = has('?');
  return [
    name,
    {
      kind: kind ?? (isOptional ? 'pretty' : null),
      isOptional,
      isNeeded: has('+'),
      isDeep: has('!'),
      followsLinks: has('@'),
    },
  ];
}

/** All programs and uses that have rows. */
export function rowNames(): readonly string[] {
  return [...ROWS.keys()];
}

/** The rows for a program, or for a use of it (`git log`); none: it is not one that only reads. */
export function rowsOf(name: string): readonly Row[] {
  return ROWS.get(name) ?? [];
}
