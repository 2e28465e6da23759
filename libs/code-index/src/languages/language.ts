/** The languages that the index reads, by the endings of files. */

export type Language = 'typescript' | 'tsx' | 'javascript' | 'python' | 'go' | 'java' | 'rust' | 'cpp';

/** Languages whose code can call each other. */
export type Family = 'script' | 'python' | 'go' | 'java' | 'rust' | 'c';

const ENDINGS: Readonly<Record<string, Language>> = {
  ts: 'typescript',
  mts: 'typescript',
  cts: 'typescript',
  tsx: 'tsx',
  js: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  jsx: 'javascript',
  py: 'python',
  pyi: 'python',
  go: 'go',
  java: 'java',
  rs: 'rust',
  // The grammar of C++ reads C as well; there is none of C alone.
  c: 'cpp',
  h: 'cpp',
  cc: 'cpp',
  cpp: 'cpp',
  cxx: 'cpp',
  hh: 'cpp',
  hpp: 'cpp',
  hxx: 'cpp',
};

/** The language of a file by its name; null when it is none that is read. */
export function languageOf(path: string): Language | null {
  const ending = /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase();
  return ending === undefined ? null : (ENDINGS[ending] ?? null);
}

/** Languages that can call each other are one family. */
export function familyOf(language: Language): Family {
  switch (language) {
    case 'typescript':
    case 'tsx':
    case 'javascript':
      return 'script';
    case 'cpp':
      return 'c';
    default:
      return language;
  }
}

/** Whether a bare name inside of a class may be one of its members, as in Java and C++. */
export function bareNamesAreMembers(family: Family): boolean {
  return family === 'java' || family === 'c';
}
