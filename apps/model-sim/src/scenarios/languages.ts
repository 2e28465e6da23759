/** Which language a file is written in, by its name alone. */
const BY_EXTENSION: Readonly<Record<string, string>> = {
  ts: 'TypeScript',
  tsx: 'TypeScript',
  mts: 'TypeScript',
  cts: 'TypeScript',
  js: 'JavaScript',
  jsx: 'JavaScript',
  mjs: 'JavaScript',
  cjs: 'JavaScript',
  py: 'Python',
  pyi: 'Python',
  rb: 'Ruby',
  php: 'PHP',
  go: 'Go',
  rs: 'Rust',
  java: 'Java',
  kt: 'Kotlin',
  kts: 'Kotlin',
  scala: 'Scala',
  swift: 'Swift',
  c: 'C',
  h: 'C',
  cc: 'C++',
  cpp: 'C++',
  cxx: 'C++',
  hh: 'C++',
  hpp: 'C++',
  cs: 'C#',
  lua: 'Lua',
  sh: 'Shell',
  bash: 'Shell',
  zsh: 'Shell',
  sql: 'SQL',
  prisma: 'Prisma',
  graphql: 'GraphQL',
  proto: 'Protocol Buffers',
  html: 'HTML',
  htm: 'HTML',
  css: 'CSS',
  scss: 'CSS',
  vue: 'Vue',
  svelte: 'Svelte',
  svg: 'SVG',
  xml: 'XML',
  md: 'Markdown',
  mdx: 'Markdown',
  json: 'JSON',
  jsonl: 'JSON',
  jsonc: 'JSON',
  yml: 'YAML',
  yaml: 'YAML',
  toml: 'TOML',
  ini: 'INI',
  csv: 'CSV',
  txt: 'Text',
};

const BY_NAME: Readonly<Record<string, string>> = { dockerfile: 'Dockerfile', makefile: 'Makefile' };

/** The language of a text file; `Other` when the name says nothing. */
export function languageOf(path: string): string {
  const name = (path.split('/').at(-1) ?? path).toLowerCase();
  const extension = /[^.]\.([^.]+)$/.exec(name)?.[1] ?? '';
  return lookUp(BY_NAME, name) ?? lookUp(BY_EXTENSION, extension) ?? 'Other';
}

/** A file may be called `constructor`. */
function lookUp(table: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
