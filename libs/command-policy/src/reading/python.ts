/** Files of the project that Python would load in place of its own modules: with `-m` it looks into the folder it is in first. */
import type { LineState } from '../line-state.js';
import { joinPath } from '../paths.js';
import type { FolderView } from '../types.js';

const STANDARD_MODULES: ReadonlySet<string> = new Set(
  (
    'abc aifc argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii bisect ' +
    'builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys ' +
    'compileall concurrent configparser contextlib contextvars copy copyreg crypt csv ctypes curses ' +
    'dataclasses datetime dbm decimal difflib dis distutils doctest email encodings enum errno ' +
    'faulthandler fcntl filecmp fileinput fnmatch fractions ftplib functools gc genericpath getopt ' +
    'getpass gettext glob graphlib grp gzip hashlib heapq hmac html http imaplib imghdr imp importlib ' +
    'inspect io ipaddress itertools json keyword linecache locale logging lzma mailbox mailcap marshal ' +
    'math mimetypes mmap modulefinder msilib msvcrt multiprocessing netrc nis nntplib nt ntpath ' +
    'nturl2path numbers opcode operator optparse os ossaudiodev pathlib pdb pickle pickletools pipes ' +
    'pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty pwd py_compile pyclbr ' +
    'pydoc pyexpat queue quopri random re readline reprlib resource rlcompleter runpy sched secrets ' +
    'select selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket socketserver spwd ' +
    'sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct subprocess ' +
    'sunau symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile termios textwrap threading ' +
    'time timeit token tokenize tomllib trace traceback tracemalloc tty types typing unicodedata unittest ' +
    'urllib uu uuid warnings wave weakref webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp ' +
    'zipfile zipimport zlib zoneinfo'
  ).split(' '),
);

/** The first of them in a folder where the line may be; null: there is none. */
export function shadowOf({ context, folders }: LineState): string | null {
  for (const folder of folders) {
    const view = context.look(folder);
    const entries = typeof view === 'string' ? [] : view;
    const found = entries.find(
      ({ name }) =>
        STANDARD_MODULES.has(name.replace(/\..*/, '')) &&
        (/\.(py|pyc|so)$/.test(name) || isPackage(context.look(joinPath(folder, name)))),
    );
    if (found !== undefined) return found.name;
  }
  return null;
}

function isPackage(view: FolderView): boolean {
  return typeof view !== 'string' && view.some(({ name }) => name.startsWith('__init__.'));
}
