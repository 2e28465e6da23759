/** Kinds of programs by name. */
import type { Arg } from './arg.js';

/** The name without its folder and case. */
export function baseName(program: string): string {
  const name = program.slice(program.lastIndexOf('/') + 1).toLowerCase();
  return name.replace(/\.exe$/, '');
}

/** Whether the program (a plain name, see `baseName`) runs a script in the language of some shell. */
export function isShell(name: string): boolean {
  return /^(sh|bash|rbash|dash|ash|zsh|ksh|mksh|oksh|yash|fish|csh|tcsh|elvish|nu|pwsh|powershell)$/.test(
    name,
  );
}

/** Programs that run code which they are given by words or by standard input. */
export function isInterpreter(name: string): boolean {
  return /^(python[\d.]*|pypy3?|perl[\d.]*|ruby|node|nodejs|deno|bun|tsx|ts-node|php[\d.]*|lua[\d.]*|luajit|tclsh|osascript|r|rscript|julia|groovy|scala|jshell|ghci|irb|expect|guile|gdb|lldb|ed|ex)$/.test(
    name,
  );
}

/** Whether the program brings text from elsewhere: what it prints was written by somebody unknown. */
export function isDownloader(name: string): boolean {
  return /^(curl|wget2?|fetch|aria2c|https?|xh|httpie|lynx|w3m|links|elinks|lwp-[a-z]+|get|axel|iwr|invoke-webrequest|nc|ncat|netcat|socat|telnet|ftp|tftp|lftp|dig|nslookup|host|gsutil|hurl|curlie)$/.test(
    name,
  );
}

/** Whether a command turns text that nobody can read into text that a shell can. */
export function isDecoder(name: string, words: readonly string[]): boolean {
  if (/^(base64|base32|basenc|b64decode|openssl)$/.test(name))
    return words.some((word) => /^(-[a-zA-Z]*[dD]|--dec|-base64|enc$)/.test(word));
  if (/^(uudecode|gunzip|zcat|bzcat|xzcat|bunzip2|unxz|rev|lzcat|zstdcat|uncompress|gpg|age)$/.test(name))
    return true;
  if (/^(gzip|bzip2|xz|zstd)$/.test(name)) return words.some((word) => /^-\w*d|--dec/.test(word));
  return name === 'xxd' && words.some((word) => /^-\w*r/.test(word));
}

const GIT_GLOBALS_WITH_VALUE =
  /^(-C|-c|--git-dir|--work-tree|--namespace|--exec-path|--super-prefix|--config-env|--attr-source)$/;

/** The words behind `git` from the subcommand on, without the options of git itself. */
export function gitWords(args: readonly Arg[]): readonly Arg[] {
  let at = 0;
  while (args[at]?.value.startsWith('-') === true)
    at += GIT_GLOBALS_WITH_VALUE.test(args[at]?.value ?? '') ? 2 : 1;
  return args.slice(at);
}
