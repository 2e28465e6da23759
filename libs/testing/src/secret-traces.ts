/**
 * Looks for what is left of a secret value in a text: by undoing what programs do to texts and comparing. It shares nothing with the
 * masker, so that neither hides a fault of the other.
 */

/** So many characters of a value in a row are a trace of it. A shorter run may be there by chance. */
const TRACE = 8;
/** How often what was undone is undone again. */
const ROUNDS = 3;

/** Runs of the value that can be read in the text, or be made readable; empty when there is nothing of it. */
export function secretTraces(text: string, value: string, run = TRACE): string[] {
  const parts = runsOf(value.trim(), run);
  const found = new Set<string>();
  for (const view of viewsOf(text)) for (const part of parts) if (view.includes(part)) found.add(part);
  return [...found];
}

function runsOf(value: string, run: number): Set<string> {
  const texts = [value, Buffer.from(value).toString('latin1')];
  return new Set(
    texts.flatMap((text) =>
      Array.from({ length: Math.max(1, text.length - run + 1) }, (_, at) => text.slice(at, at + run)),
    ),
  );
}

function viewsOf(text: string): string[] {
  const views = [text];
  for (let round = 0; round < ROUNDS; round += 1) {
    const last = views.at(-1) ?? '';
    const undone = withoutMarkup(withoutEscapes(withoutPercents(withoutColours(last))));
    if (undone === last) break;
    views.push(undone);
  }
  return [...views, ...views.flatMap((view) => [...fromBase64(view), ...fromHex(view)])];
}

function withoutColours(text: string): string {
  // eslint-disable-next-line no-control-regex -- they are what this is about
  return text.replace(/\u001b(?:\[[ -?]*[@-~]|\][^\u0007]*\u0007)/g, '');
}

/** In a text that has any, a plus may be a space. */
function withoutPercents(text: string): string {
  const undone = text.replace(/(?:%[0-9a-f]{2})+/gi, (run) =>
    Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'),
  );
  return undone === text ? text : undone.replaceAll('+', ' ');
}

function withoutEscapes(text: string): string {
  return text
    .replace(/\\u([0-9a-f]{4})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
    .replace(/(?:\\[0-3][0-7]{2})+/g, (run) =>
      Buffer.from((run.match(/[0-7]{3}/g) ?? []).map((digits) => parseInt(digits, 8))).toString('utf8'),
    )
    .replace(/\\n/g, '\n')
    .replace(/\\([^\w\s])/g, '$1');
}

function withoutMarkup(text: string): string {
  const names: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
  return text
    .replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => names[name] ?? '')
    .replace(/&#x([0-9a-f]{1,6});/gi, (_, hex: string) => String.fromCodePoint(parseInt(hex, 16)))
    .replace(/&#(\d{1,6});/g, (_, digits: string) => String.fromCodePoint(Number(digits)));
}

/** Lines may have been numbered or set in; a value may begin at any of four characters. */
function fromBase64(text: string): string[] {
  const joined = text.replace(/\\r|\\n|\s*\r?\n[ \t]*(?:\d+[\t:])?/g, '');
  const runs = joined.match(/[A-Za-z0-9+/_-]{8,}/g) ?? [];
  return [0, 1, 2, 3].map((skip) =>
    runs.map((run) => Buffer.from(run.slice(skip), 'base64').toString('latin1')).join(' '),
  );
}

function fromHex(text: string): string[] {
  const runs = text.replace(/\s*\r?\n\s*/g, '').match(/(?:[0-9a-f]{2}){4,}/gi) ?? [];
  return [0, 1].map((skip) =>
    runs.map((run) => Buffer.from(run.slice(skip), 'hex').toString('latin1')).join(' '),
  );
}
