/** Programs that look at files and folders, and the few that make or copy them. */
import { judgeCopy } from './copy-and-move.js';
import { flagTable } from '../schema/flag-table.js';
import type { ProgramSchema } from '../schema/program-schema.js';
import { judgeFind } from './find.js';

const IN = ['in*'];

/** With one of these flags links on the way are followed. */
const followsLinks =
  (...names: readonly string[]): ProgramSchema['deep'] =>
  (flags) =>
    flags.some(({ name }) => names.includes(name))
      ? { followsLinks: true, selects: ({ kind }) => kind === 'link' }
      : null;

export const FILE_PROGRAMS: Readonly<Record<string, ProgramSchema>> = {
  ls: {
    harmlessFlags: true,
    operands: IN,
    deep: followsLinks('-L', '--dereference'),
    flags: flagTable(
      '-a -A -l -h -t -r -R -S -1 -d -i -s -F -p -G -g -o -n -u -c -U -X -v -x -C -m -N -Q -q -b -B -k -L -H -Z -f',
      '-w:num -I:text -T:num --all --almost-all --human-readable --reverse --recursive --size --classify[=word]',
      '--color[=word] --sort=word --time=word --time-style=text --full-time --group-directories-first --directory',
      '--ignore=text --hide=text --inode --dereference --no-group --numeric-uid-gid --indicator-style=word --width=num',
      '--format=word --quoting-style=word --block-size=word --si --help --version --hyperlink[=word] --zero',
    ),
  },
  cat: {
    harmlessFlags: true,
    operands: IN,
    flags: flagTable(
      '-n -b -s -A -E -T -v -e -t -u --number --number-nonblank --squeeze-blank --show-all --show-ends --show-tabs',
      '--show-nonprinting --help --version',
    ),
  },
  head: {
    harmlessFlags: true,
    operands: IN,
    flags: flagTable(
      '-# -n:num -c:num -q -v -z --lines=num --bytes=num --quiet --silent --verbose --help --version',
    ),
  },
  tail: {
    harmlessFlags: true,
    operands: IN,
    flags: flagTable(
      '-# -n:num -c:num -q -v -z -r --lines=num --bytes=num --quiet --silent --verbose --help --version',
    ),
  },
  wc: {
    operands: IN,
    flags: flagTable(
      '-l -w -c -m -L --lines --words --bytes --chars --max-line-length --total=word --help --version',
    ),
    refused: flagTable('--files0-from=text'),
  },
  file: {
    operands: IN,
    flags: flagTable(
      '-b -i -L -h -k -N -n -r -s -0 --brief --mime --mime-type --mime-encoding --dereference --version',
    ),
    refused: flagTable('-C -m -f -z -Z --compile --magic-file=text --files-from=text --uncompress'),
  },
  stat: {
    harmlessFlags: true,
    operands: IN,
    flags: flagTable(
      '-c:text -f -L -t --format=text --printf=text --terse --dereference --file-system --help --version',
    ),
  },
  du: {
    operands: IN,
    deep: followsLinks('-L'),
    flags: flagTable(
      '-a -b -c -h -k -m -s -S -x -L -D -H -P -l -0 -d:num -t:num -B:word --all --apparent-size --bytes --total',
      '--human-readable --max-depth=num --summarize --separate-dirs --one-file-system --exclude=text --threshold=num',
      '--block-size=word --si --time[=word] --inodes --null --help --version',
    ),
    refused: flagTable('--files0-from=text -X --exclude-from=text'),
  },
  df: {
    harmlessFlags: true,
    operands: IN,
    flags: flagTable(
      '-a -h -H -i -k -l -P -T -t:word -x:word -B:word --all --human-readable --si --inodes --local --print-type',
      '--total --output[=word] --type=word --exclude-type=word --block-size=word --portability --help --version',
    ),
  },
  tree: {
    operands: IN,
    deep: followsLinks('-l'),
    flags: flagTable(
      '-a -d -f -i -l -x -p -s -h -u -g -D -F -q -N -Q -C -n -t -c -U -r -v -J -X -S -A -L:num -P:text -I:text',
      '--dirsfirst --noreport --du --prune --gitignore --filelimit=num --charset=word --sort=word --si --inodes',
      '--device --matchdirs --ignore-case --version --help',
    ),
    refused: flagTable('-o -R -H -T --fromfile --info --infofile=text --gitfile=text'),
  },
  basename: {
    operands: ['text*'],
    flags: flagTable('-a -s:text -z --multiple --suffix=text --zero --help'),
    harmlessFlags: true,
  },
  dirname: { operands: ['text*'], flags: flagTable('-z --zero --help'), harmlessFlags: true },
  realpath: {
    harmlessFlags: true,
    operands: IN,
    flags: flagTable(
      '-e -m -L -P -q -s -z --relative-to=in --relative-base=in --canonicalize-existing --canonicalize-missing',
      '--logical --physical --quiet --strip --no-symlinks --zero --help',
    ),
  },
  readlink: {
    harmlessFlags: true,
    operands: IN,
    flags: flagTable(
      '-f -e -m -n -q -s -v -z --canonicalize --canonicalize-existing --canonicalize-missing --help',
    ),
  },
  find: {
    judge: judgeFind,
    refused: flagTable('-fprint -fprint0 -fprintf -fls -execdir -ok -okdir -files0-from'),
  },
  mkdir: { operands: ['out*'], flags: flagTable('-p -v -m:word --parents --verbose --mode=word') },
  touch: {
    operands: ['out*'],
    flags: flagTable('-a -c -m -h -d:text -t:word -r:in --no-create --date=text --reference=in --time=word'),
  },
  cp: {
    flags: flagTable(
      '-r -R -a -p -v -n -u -f -i -d -P -x -T -t:out --recursive --archive --verbose --no-clobber --update[=word]',
      '--force --interactive --preserve[=word] --no-preserve=word --no-target-directory --target-directory=out',
      '--no-dereference --parents --one-file-system --debug',
    ),
    refused: flagTable(
      '-l -s -L -H -b -S --link --symbolic-link --dereference --backup[=word] --suffix=text',
    ),
    operands: ['in*'],
    check: judgeCopy,
  },
  mv: {
    flags: flagTable(
      '-v -n -u -f -i -T -t:out --verbose --no-clobber --update[=word] --force --interactive --no-target-directory',
      '--target-directory=out --debug',
    ),
    refused: flagTable('-b -S --backup[=word] --suffix=text --exchange'),
    operands: ['in*'],
    check: judgeCopy,
  },
  tee: { operands: ['out*'], flags: flagTable('-a -i --append --ignore-interrupts --help --version') },
};
