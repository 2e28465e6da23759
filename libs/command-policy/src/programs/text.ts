/** Programs that search, compare and reshape text. */
import { flagTable } from '../schema/flag-table.js';
import type { ProgramSchema } from '../schema/program-schema.js';
import { grepTree, rgTree } from './search-trees.js';

const GREP: ProgramSchema = {
  harmlessFlags: true,
  deep: grepTree,
  operands: ['pattern', 'in*'],
  flags: flagTable(
    '-# -a -b -c -E -F -G -H -h -I -i -L -l -n -o -P -q -R -r -s -U -v -w -x -y -z -Z -T -A:num -B:num -C:num -m:num',
    '-e:pattern -f:in -d:word -D:word --after-context=num --before-context=num --context=num --max-count=num',
    '--regexp=pattern --file=in --basic-regexp --extended-regexp --fixed-strings --perl-regexp --ignore-case',
    '--no-ignore-case --word-regexp --line-regexp --invert-match --count --color[=word] --colour[=word]',
    '--files-without-match --files-with-matches --only-matching --quiet --silent --no-messages --byte-offset',
    '--with-filename --no-filename --line-number --initial-tab --null --null-data --text --binary-files=word',
    '--include=text --exclude=text --exclude-dir=text --recursive --dereference-recursive --line-buffered',
    '--directories=word --devices=word --label=text --help --version',
  ),
};

const HASH: ProgramSchema = {
  harmlessFlags: true,
  operands: ['in*'],
  flags: flagTable('-b -t -z --binary --text --tag --zero --help --version'),
};

export const TEXT_PROGRAMS: Readonly<Record<string, ProgramSchema>> = {
  grep: GREP,
  egrep: GREP,
  fgrep: GREP,
  rg: {
    deep: rgTree,
    operands: ['pattern', 'in*'],
    flags: flagTable(
      '-# -a -b -c -F -H -h -I -i -l -n -N -o -P -p -q -s -S -U -u -v -w -x -0 -A:num -B:num -C:num -m:num -e:pattern',
      '-g:text -t:word -T:word -j:num -M:num -r:text -d:num -E:word --glob=text --iglob=text --type=word',
      '--type-not=word --type-list --files --files-with-matches --files-without-match --count --count-matches',
      '--ignore-case --smart-case --case-sensitive --fixed-strings --word-regexp --line-regexp --invert-match',
      '--line-number --no-line-number --column --no-column --heading --no-heading --with-filename --no-filename',
      '--only-matching --context=num --after-context=num --before-context=num --max-count=num --max-depth=num',
      '--max-columns=num --max-filesize=word --hidden --no-hidden --no-ignore --no-ignore-vcs --no-config --color=word',
      '--json --stats --multiline --multiline-dotall --pcre2 --pretty --quiet --null --replace=text --regexp=pattern',
      '--sort=word --sortr=word --threads=num --text --trim --vimgrep --unrestricted --no-messages --passthru',
      '--type-add=text --engine=word --encoding=word --crlf --one-file-system --debug --version --help',
    ),
    refused: flagTable(
      '--pre=text --pre-glob=text --hostname-bin=text -z --search-zip -f --file=text --ignore-file=text -L',
    ),
  },
  sort: {
    operands: ['in*'],
    flags: flagTable(
      '-b -d -f -g -h -i -M -n -R -r -V -c -C -m -s -u -z -k:word -t:text -S:word -o:out --key=word --field-separator=text',
      '--numeric-sort --reverse --unique --stable --version-sort --human-numeric-sort --ignore-case --check[=word]',
      '--output=out --zero-terminated --sort=word --parallel=num --ignore-leading-blanks --dictionary-order --help',
    ),
    refused: flagTable(
      '--compress-program=text -T --temporary-directory=text --files0-from=text --random-source=text',
    ),
  },
  // The second operand of uniq and of xxd is written.
  uniq: {
    operands: ['guarded', 'out'],
    flags: flagTable(
      '-c -d -D -i -u -z -f:num -s:num -w:num --count --repeated --all-repeated[=word] --ignore-case --unique',
      '--skip-fields=num --skip-chars=num --check-chars=num --group[=word] --zero-terminated --help',
    ),
  },
  cut: {
    harmlessFlags: true,
    operands: ['in*'],
    flags: flagTable(
      '-b:word -c:word -d:text -f:word -n -s -z --bytes=word --characters=word --delimiter=text --fields=word',
      '--complement --only-delimited --output-delimiter=text --zero-terminated --help',
    ),
  },
  tr: {
    harmlessFlags: true,
    operands: ['text', 'text'],
    flags: flagTable('-c -C -d -s -t --complement --delete --squeeze-repeats --truncate-set1'),
  },
  nl: {
    harmlessFlags: true,
    operands: ['in*'],
    flags: flagTable('-b:text -n:word -s:text -v:num -w:num -i:num --body-numbering=text'),
  },
  tac: { harmlessFlags: true, operands: ['in*'], flags: flagTable('-b -r -s:text') },
  rev: { harmlessFlags: true, operands: ['in*'] },
  fold: { harmlessFlags: true, operands: ['in*'], flags: flagTable('-b -s -w:num --spaces --width=num') },
  fmt: { harmlessFlags: true, operands: ['in*'], flags: flagTable('-w:num -s -u --width=num') },
  expand: { harmlessFlags: true, operands: ['in*'], flags: flagTable('-i -t:word --tabs=word') },
  column: {
    harmlessFlags: true,
    operands: ['in*'],
    flags: flagTable('-t -s:text -o:text -n:text -x -c:num --table --separator=text'),
  },
  paste: {
    harmlessFlags: true,
    operands: ['in*'],
    flags: flagTable('-d:text -s -z --delimiters=text --serial'),
  },
  comm: {
    harmlessFlags: true,
    operands: ['in', 'in'],
    flags: flagTable('-# -1 -2 -3 -z --nocheck-order --check-order --total'),
  },
  join: {
    harmlessFlags: true,
    operands: ['in', 'in'],
    flags: flagTable('-1:num -2:num -t:text -a:num -v:num -i -j:num -o:word'),
  },
  cmp: {
    harmlessFlags: true,
    operands: ['in', 'in', 'num', 'num'],
    flags: flagTable('-b -l -s -i:word -n:num --silent --quiet --verbose'),
  },
  diff: {
    operands: ['in', 'in'],
    deep: (flags) =>
      flags.some(({ name }) => name === '-r' || name === '--recursive')
        ? { followsLinks: true, selects: () => true }
        : null,
    flags: flagTable(
      '-# -a -b -B -c -d -e -i -n -N -p -q -r -s -t -T -u -w -y -Z -E -C:num -U:num -W:num -x:text -I:text -L:text -F:text',
      '--brief --report-identical-files --unified[=num] --context[=num] --side-by-side --recursive --new-file',
      '--ignore-case --ignore-all-space --ignore-space-change --ignore-blank-lines --strip-trailing-cr --color[=word]',
      '--suppress-common-lines --width=num --exclude=text --label=text --text --minimal --no-dereference --help',
    ),
    refused: flagTable(
      '-l --paginate --from-file=text --to-file=text -X --exclude-from=text -D --ifdef=text -S',
    ),
  },
  md5sum: HASH,
  sha1sum: HASH,
  sha224sum: HASH,
  sha256sum: HASH,
  sha384sum: HASH,
  sha512sum: HASH,
  b2sum: HASH,
  cksum: HASH,
  base64: {
    harmlessFlags: true,
    operands: ['in'],
    flags: flagTable('-d -i -w:num --decode --wrap=num --ignore-garbage'),
  },
  od: {
    harmlessFlags: true,
    operands: ['in*'],
    flags: flagTable('-A:word -t:word -N:num -j:num -w[num] -v -c -x -a -b -d -o'),
  },
  hexdump: {
    operands: ['in*'],
    flags: flagTable('-C -b -c -d -o -x -v -n:num -s:num'),
    refused: flagTable('-e -f'),
  },
  xxd: {
    operands: ['guarded'],
    flags: flagTable('-p -u -b -i -c:num -g:num -l:num -s:num -ps'),
    refused: flagTable('-r -e'),
  },
  strings: {
    harmlessFlags: true,
    operands: ['in*'],
    flags: flagTable('-# -a -n:num -t:word -e:word -f --bytes=num'),
  },
  seq: {
    harmlessFlags: true,
    operands: ['num', 'num', 'num'],
    flags: flagTable('-s:text -w -f:text --separator=text --equal-width'),
  },
};
