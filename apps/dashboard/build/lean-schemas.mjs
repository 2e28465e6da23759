/**
 * A Vite plugin: leaves out of the bundle what this application never does with schemas, a tenth of the first load. Their descriptions and
 * names are for the reference of the API, and zod's way to JSON Schema is for what makes that reference. Nor does it use the formats of texts
 * that zod hangs on every text, or objects that compile their check: the policy of the page forbids that.
 */
import { RolldownMagicString } from 'rolldown';
import { parseSync, Visitor } from 'rolldown/utils';

const DESCRIBED = /\/libs\/contracts\/src\/[\w-]+\.ts$/;
const CLASSIC = /\/zod\/v4\/classic\/schemas\.js$/;
/** And how errors of an operating system read, which no browser has. */
const UNUSED =
  /\/zod\/v4\/core\/(json-schema-processors|to-json-schema)\.js$|\/libs\/contracts\/src\/system-error\.ts$/;
/** What zod says of data that does not fit: nobody reads it here. */
const WORDS = /\/zod\/v4\/locales\/en\.js$/;

export function leanSchemas() {
  return {
    name: 'lean-schemas',
    apply: 'build',
    // Before the types are taken out: then the places in the file are those of its source.
    enforce: 'pre',
    transform(code, id) {
      if (UNUSED.test(id)) return hollow(code);
      if (WORDS.test(id)) return { code: 'export default () => ({});', map: null };
      if (CLASSIC.test(id)) return withoutFormats(code);
      return DESCRIBED.test(id) ? withoutWords(code, id) : null;
    },
  };
}

/** The same names, with nothing behind them. */
function hollow(code) {
  const names = [...code.matchAll(/^export (?:const|function) (\w+)/gm)].map(([, name]) => name);
  const renamed = [...code.matchAll(/^export \{ \w+ as (\w+) \};/gm)].map(([, name]) => name);
  const lines = [...names, ...renamed].map(
    (name) => `const ${name}_ = () => null;\nexport { ${name}_ as ${name} };`,
  );
  return { code: lines.join('\n'), map: null };
}

/** `z.string().email()` and its like; whoever wants a format has `z.email()`. */
function withoutFormats(code) {
  const method =
    /^ {4}\w+\(params\) \{\n {8}return this\.check\(core\._\w+\(Zod\w+, params\)\);\n {4}\},\n/gm;
  return { code: code.replace(method, '').replaceAll('$ZodObjectJIT', '$ZodObject'), map: null };
}

/** `z.string().describe('…').meta({…})` is `z.string()` to whoever only parses. */
function withoutWords(code, id) {
  const text = new RolldownMagicString(code);
  const visitor = new Visitor({
    CallExpression({ callee, end }) {
      if (callee.type !== 'MemberExpression' || callee.computed) return;
      if (['describe', 'meta'].includes(callee.property.name)) text.remove(callee.object.end, end);
    },
  });
  visitor.visit(parseSync(id, code).program);
  return { code: text.toString(), map: null };
}
