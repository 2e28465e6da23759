/** Kinds of programs by name, for what is said about commands that no schema covers. */
import { finding, type Finding } from './rules.js';
import type { Span } from './types.js';

/** The name without its folder and case. */
export function baseName(program: string): string {
  const name = program.slice(program.lastIndexOf('/') + 1).toLowerCase();
  return name.replace(/\.exe$/, '');
}

export function isShell(name: string): boolean {
  return /^(sh|bash|rbash|dash|ash|zsh|ksh|mksh|oksh|yash|fish|csh|tcsh|elvish|nu|pwsh|powershell)$/.test(
    name,
  );
}

/** Programs that run code which they are given by words or by standard input. */
export function isInterpreter(name: string): boolean {
  return /^(python[\d.]*|pypy3?|perl[\d.]*|ruby|node|nodejs|deno|php[\d.]*|lua[\d.]*|luajit|tclsh|wish|osascript|r|rscript|julia|groovy|scala|jshell|ghci|irb|expect|guile|gdb|lldb|m4|bc|dc|ed|ex|vi|vim|nvim|emacs)$/.test(
    name,
  );
}

export function isDownloader(name: string): boolean {
  return /^(curl|wget|wget2|fetch|aria2c|http|https|xh|httpie|lynx|w3m|links|elinks|lwp-[a-z]+|get|axel|iwr|invoke-webrequest|nc|ncat|netcat|socat|telnet|ftp|tftp|lftp|dig|nslookup|host|gsutil|hurl|curlie)$/.test(
    name,
  );
}

export function isNetworkProgram(name: string): boolean {
  return (
    isDownloader(name) ||
    /^(ssh|scp|sftp|rsync|ping|ping6|traceroute|tracepath|mtr|nmap|whois|rclone|mosh|mail|sendmail|telnet|openssl|apt|apt-get|brew|yum|dnf|apk|pacman|snap|gh|glab|svn|hg)$/.test(
      name,
    )
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

/** What is said of a program that no schema covers, or whose schema covers too little. */
export function unjudged(program: string, span: Span): Finding {
  const name = baseName(program);
  if (isNetworkProgram(name))
    return finding('program.network', `${program} connects to another machine.`, span);
  if (isInterpreter(name) || isShell(name)) {
    return finding('program.runs_code', `${program} runs code that the policy cannot judge.`, span);
  }
  if (program.includes('/')) return finding('program.path', `${program} could be any program.`, span);
  return finding('program.unknown', `${program} is not a program that the policy knows.`, span);
}
