/**
 * A Vite plugin: leaves out of the bundle what only the gateway does with schemas, a tenth of the first load. Their descriptions and names
 * are for the reference of the API, and zod's way to JSON Schema is for what makes that reference.
 */
import { RolldownMagicString } from 'rolldown';
import { parseSync, Visitor } from 'rolldown/utils';

const DESCRIBED = /\/libs\/contracts\/src\/[\w-]+\.ts$/;
const JSON_SCHEMA = /\/zod\/v4\/core\/(json-schema-processors|to-json-schema)\.js$/;

export function leanSchemas() {
  return {
    name: 'lean-schemas',
    apply: 'build',
    // Before the types are taken out: then the places in the file are those of its source.
    enforce: 'pre',
    transform(code, id) {
      if (JSON_SCHEMA.test(id)) return hollow(code);
      return DESCRIBED.test(id) ? withoutWords(code, id) : null;
    },
  };
}

/** The same names, with nothing behind them. */
function hollow(code) {
  const names = [...code.matchAll(/^export (?:const|function) (\w+)/gm)].map(([, name]) => name);
  const renamed = [...code.matchAll(/^export \{ \w+ as (\w+) \};/gm)].map(([, name]) => name);
  const lines = [...names, ...renamed].map(
    (name) => `const ${name}_ = () => undefined;\nexport { ${name}_ as ${name} };`,
  );
  return { code: lines.join('\n'), map: null };
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
