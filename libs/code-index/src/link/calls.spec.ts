import { describe, expect, it } from '@jest/globals';
import { FactsReader } from '../parser.js';
import { languageOf } from '../languages/language.js';
import { Calls } from './calls.js';
import { Evaluator } from './evaluate.js';
import { Modules } from './modules.js';
import { Program, type SymbolRef } from './program.js';

const reader = new FactsReader();

export async function programOf(files: Readonly<Record<string, string>>) {
  const program = new Program();
  const configs = new Map<string, unknown>();
  const packages = new Map<string, unknown>();
  for (const [path, text] of Object.entries(files)) {
    if (path.endsWith('package.json')) packages.set(path, JSON.parse(text));
    else if (path.endsWith('.json')) configs.set(path, JSON.parse(text));
    const language = languageOf(path);
    if (language === null) continue;
    const facts = await reader.read(language, text);
    if (typeof facts === 'string') throw new Error(`${path}: ${facts}`);
    program.set({ path, language, facts });
  }
  const evaluator = new Evaluator(program, new Modules(program, { configs, packages }));
  const calls = new Calls(program, evaluator);
  const fullName = (symbol: SymbolRef | null): string => {
    if (symbol === null) return '(file)';
    const container = program.container(symbol);
    const owner = container === null ? symbol.fact.owner : fullName(container);
    return owner === undefined ? symbol.fact.name : `${owner}.${symbol.fact.name}`;
  };
  const find = (name: string) => {
    const found = program
      .symbolsNamed(name.split('.').at(-1) ?? '')
      .find((symbol) => fullName(symbol) === name);
    if (found === undefined) throw new Error(`no symbol ${name}`);
    return found;
  };
  return {
    callers: (name: string) =>
      [
        ...new Set(
          calls
            .callersOf(find(name))
            .map(
              ({ from, certainty }) => `${fullName(from)}${certainty === 'direct' ? '' : ` (${certainty})`}`,
            ),
        ),
      ].sort(),
    callees: (name: string) =>
      [
        ...new Set(
          calls
            .calleesOf(find(name))
            .edges.map(
              ({ to, certainty }) => `${fullName(to)}${certainty === 'direct' ? '' : ` (${certainty})`}`,
            ),
        ),
      ].sort(),
    program,
  };
}

describe('calls in TypeScript', () => {
  it('through a field go to the type of the field, not to the method of the same name around', async () => {
    const { callers } = await programOf({
      'a.ts': 'class Queue { push(j){} }\nclass Front { q = new Queue(); push(j){ this.q.push(j) } }',
    });
    expect(callers('Queue.push')).toEqual(['Front.push']);
    expect(callers('Front.push')).toEqual([]);
  });

  it('by a bare name never mean a method', async () => {
    const { callers } = await programOf({
      'a.ts': 'function encode(s){ return s }\nclass Msg { s = 1; encode(){ return encode(this.s) } }',
    });
    expect(callers('encode')).toEqual(['Msg.encode']);
    expect(callers('Msg.encode')).toEqual([]);
  });

  it('are found through default exports that are passed on, folders and packages of the workspace', async () => {
    const { callers } = await programOf({
      'packages/ui/package.json': '{"name":"@acme/ui","exports":{"./cards":"./src/cards/index.ts"}}',
      'packages/ui/src/cards/Card.tsx': 'export default function Card() { return null }',
      'packages/ui/src/cards/index.ts': `export { default as Card } from './Card';`,
      'packages/ui/src/cards/near.tsx': `import { Card } from '.';\nexport function near() { return <Card /> }`,
      'packages/app/a.ts': `import { Card } from '@acme/ui/cards';\nfunction far() { Card() }`,
      'packages/ui/src/direct.ts': `import Anything from './cards/Card';\nconst direct = () => Anything();`,
    });
    expect(callers('Card')).toEqual(['direct', 'far', 'near']);
  });

  it('are found through renames on both sides', async () => {
    const { callers } = await programOf({
      'db.ts': 'export function openDb() {}',
      'index.ts': `export { openDb as open } from './db'`,
      'use.ts': `import { open as o } from './index';\nfunction start() { o() }`,
    });
    expect(callers('openDb')).toEqual(['start']);
  });

  it('are found through path aliases of a config that is extended, and an alias without a file is unresolved', async () => {
    const { callers, callees } = await programOf({
      'tsconfig.base.json': '{"compilerOptions":{"paths":{"@/*":["src/*"]}}}',
      'tsconfig.json': '{"extends":"./tsconfig.base.json"}',
      'src/lib/auth.ts': 'export function auth() {}',
      'src/a.ts': `import { auth } from '@/lib/auth';\nimport { gone } from '@/lib/gone';\nfunction use() { auth(); gone() }`,
    });
    expect(callers('auth')).toEqual(['use']);
    expect(callees('use')).toEqual(['auth']);
  });

  it('go through interfaces to those that implement them, apart from direct ones', async () => {
    const { callers } = await programOf({
      'a.ts':
        'interface Store { put(k: string): void }\nclass A implements Store { put(k: string) {} }\nclass B extends A {}\nfunction use(s: Store, b: B) { s.put("x"); }\nfunction two(b: B) { b.put("y") }',
    });
    expect(callers('Store.put')).toEqual(['use']);
    expect(callers('A.put')).toEqual(['two', 'use (interface)']);
  });

  it('on what is not known may mean any method of the name', async () => {
    const { callers } = await programOf({
      'a.ts': 'class A { flush() {} }\nclass B { flush() {} }\nfunction f(x) { x.flush() }',
    });
    expect([callers('A.flush'), callers('B.flush')]).toEqual([['f (possible)'], ['f (possible)']]);
  });

  it('of what comes from libraries or the language mean nothing of the workspace', async () => {
    const { callers } = await programOf({
      'a.ts':
        `import { join } from 'node:path';\nimport { Pool } from 'pg';\nclass Calls { pool = new Pool(); resolve() {} query() {} parse() {}\n` +
        `go() { Promise.resolve(1); JSON.parse('1'); this.pool.query(); const p = new Pool(); p.query(); join('a').parse() } }`,
    });
    for (const name of ['resolve', 'query', 'parse'])
      expect([name, callers(`Calls.${name}`)]).toEqual([name, []]);
  });

  it('follow what functions say that they give, namespaces and destructuring', async () => {
    const { callers } = await programOf({
      'a.ts':
        'export class Db { query() {} }\nexport function connect(): Promise<Db> { return null! }\nexport const tools = { run() {}, stop: () => {} }',
      'b.ts': `import * as all from './a';\nasync function one() { const db = await all.connect(); db.query(); const { run } = all.tools; run(); all.tools.stop() }`,
    });
    expect(callers('Db.query')).toEqual(['one']);
    expect(callers('tools.run')).toEqual(['one']);
    expect(callers('tools.stop')).toEqual(['one']);
  });

  it('of names that stand for each other come to an end', async () => {
    const { callers, callees } = await programOf({
      'a.ts': `export * from './b';\nexport * from './c';\nlet x = y;\nlet y = x;\nfunction one() { x(); y.z() }`,
      'b.ts': `export * from './a';\nimport { end, none } from './a';\nfunction two() { end(); none() }`,
      'c.ts': `export function end() {}\nexport const given = () => given();\nfunction three() { given().end() }`,
    });
    expect(callees('one')).toEqual([]);
    expect(callees('two')).toEqual(['end']);
    expect(callers('end')).toEqual(['two']);
    expect(callers('given')).toEqual(['given', 'three']);
  });

  it('of CommonJS modules are found', async () => {
    const { callers } = await programOf({
      'a.js': 'function go() {}\nmodule.exports = { go }',
      'b.js': `const { go } = require('./a');\nconst a = require('./a');\nfunction one() { go() }\nfunction two() { a.go() }`,
    });
    expect(callers('go')).toEqual(['one', 'two']);
  });
});

describe('calls in Python', () => {
  it('follow attributes that a constructor sets', async () => {
    const { callers } = await programOf({
      'mail.py': 'class Mailer:\n    def send(self, x):\n        pass\n',
      'app.py':
        'from mail import Mailer\n\nclass App:\n    def __init__(self, spare: Mailer = None):\n        self.mail = Mailer()\n        self.spare = spare\n\n    def go(self, x):\n        self.mail.send(x)\n\n    def again(self):\n        self.spare.send(1)\n',
    });
    expect(callers('Mailer.send')).toEqual(['App.again', 'App.go']);
    expect(callers('Mailer')).toEqual(['App.__init__']);
  });

  it('go through packages, aliases, inheritance and super', async () => {
    const { callers } = await programOf({
      'pkg/__init__.py': 'from .core import run as start\n',
      'pkg/core.py': 'def run():\n    pass\n\nclass Base:\n    def save(self):\n        pass\n',
      'pkg/more.py':
        'from . import core\nfrom .core import Base\n\nclass Child(Base):\n    def save(self):\n        super().save()\n        core.run()\n',
      'use.py':
        'import pkg\nimport pkg.core as c\nfrom pkg import start\n\ndef one():\n    pkg.start()\n\ndef two():\n    start()\n\ndef three():\n    c.run()\n\ndef four(child: "c.Base"):\n    child.save()\n',
    });
    expect(callers('run')).toEqual(['Child.save', 'one', 'three', 'two']);
    expect(callers('Base.save')).toEqual(['Child.save', 'four']);
    expect(callers('Child.save')).toEqual(['four (interface)']);
  });

  it('of the receiver make an object of its class', async () => {
    const { callers, callees } = await programOf({
      'a.py':
        'class Money:\n    def __init__(self, n):\n        pass\n\n    @classmethod\n    def parse(cls, text):\n        return cls(1).plus(2)\n\n    def plus(self, n):\n        return self.__class__(n)\n',
    });
    expect(callees('Money.parse')).toEqual(['Money', 'Money.__init__', 'Money.plus']);
    expect(callers('Money.__init__')).toEqual(['Money.parse', 'Money.plus']);
  });

  it('by names that are made at run time are named as blind spots', async () => {
    const { program } = await programOf({
      'a.py': 'def go(h, name, kind, src):\n    getattr(h, name)()\n    handlers[kind]()\n    eval(src)\n',
    });
    expect(program.file('a.py')?.facts.blind.map(({ line }) => line)).toEqual([2, 3, 4]);
  });
});

describe('calls in Go', () => {
  it('follow receivers, fields and what functions give', async () => {
    const { callers } = await programOf({
      'rate/limit.go':
        'package rate\n\ntype Limiter struct{}\n\nfunc New() *Limiter { return &Limiter{} }\nfunc (l *Limiter) Allow() bool { return true }\n',
      'srv/run.go':
        'package srv\n\nimport "example.com/app/rate"\n\ntype Server struct { limiter *rate.Limiter }\n\nfunc Run(l *rate.Limiter) { l.Allow() }\nfunc (s *Server) Serve() { s.limiter.Allow() }\nfunc Made() { l := rate.New(); l.Allow() }\n',
    });
    expect(callers('Limiter.Allow')).toEqual(['Made', 'Run', 'Server.Serve']);
    expect(callers('New')).toEqual(['Made']);
  });

  it('through an interface are listed for the types that fit it, apart from direct ones', async () => {
    const { callers } = await programOf({
      'a.go':
        'package a\n\ntype Store interface { Put(k string) }\ntype Disk struct{}\nfunc (d Disk) Put(k string) {}\ntype Mem struct{}\nfunc (m *Mem) Put(k string) {}\ntype Other struct{}\nfunc (o Other) Take() {}\nfunc use(s Store) { s.Put("x") }\nfunc direct(d Disk) { d.Put("y") }\n',
    });
    expect(callers('Store.Put')).toEqual(['use']);
    expect(callers('Disk.Put')).toEqual(['direct', 'use (interface)']);
    expect(callers('Mem.Put')).toEqual(['use (interface)']);
  });

  it('on what is not known may mean each of the types that have the method', async () => {
    const { callers } = await programOf({
      'a.go':
        'package a\n\ntype A struct{}\nfunc (a A) flush() {}\ntype B struct{}\nfunc (b B) flush() {}\ntype C struct{}\nfunc (c C) flush() {}\nfunc g(w unknown) { w.sink.flush() }\n',
    });
    for (const type of ['A', 'B', 'C']) expect(callers(`${type}.flush`)).toEqual(['g (possible)']);
  });

  it('are all found, however deep they are nested', async () => {
    const { callees } = await programOf({
      'a.go':
        'package a\n\ntype R struct{}\nfunc (r R) Name(x int) int { return x }\nfunc make2(x int) int { return x }\nfunc h() int { return 1 }\nfunc app(x any) {}\nfunc go2(r R) {\n if true { for { switch { default: func() { app(T{F: r.Name(make2(h()))}) }() } } }\n}\n',
    });
    expect(callees('go2')).toEqual(['R.Name', 'app', 'h', 'make2']);
  });
});

describe('calls in C and C++', () => {
  it('with a chained receiver go to the class of the receiver', async () => {
    const { callers } = await programOf({
      'a.cpp':
        'class Audit { public: static Audit& get(); void write(int x) {} };\nclass Trace { public: static Trace& get(); void write(int x) {} };\nvoid one() { Audit::get().write(1); }\nvoid two() { auto& t = Trace::get(); t.write(2); }\n',
    });
    expect(callers('Audit.write')).toEqual(['one']);
    expect(callers('Trace.write')).toEqual(['two']);
  });

  it('reach the definition behind a header, and not what is static in another file', async () => {
    const { callers } = await programOf({
      'pay.h': 'int pay_total(void);\nclass Cart { public: int sum(); };\n',
      'pay.c':
        '#include "pay.h"\nstatic int helper(void) { return 1; }\nint pay_total(void) { return helper(); }\n',
      'cart.cpp':
        '#include "pay.h"\nint Cart::sum() { return pay_total(); }\nint all(Cart* c) { return c->sum(); }\n',
      'other.c': 'static int helper(void) { return 2; }\nint other(void) { return helper(); }\n',
    });
    expect(callers('pay_total')).toEqual(['Cart.sum']);
    expect(callers('helper')).toEqual(['pay_total']);
    expect(callers('Cart.sum')).toEqual(['all']);
  });

  it('are read although a macro stands in front of a function', async () => {
    const { program } = await programOf({ 'a.c': 'HOT_PATH U32 crc_step(U32 c) { return c; }\n' });
    expect(program.topLevel('a.c').map(({ fact }) => fact.name)).toContain('crc_step');
  });
});

describe('calls in Java', () => {
  it('follow fields, packages, bare names of the class, and interfaces', async () => {
    const { callers } = await programOf({
      'src/com/acme/Store.java': 'package com.acme;\npublic interface Store { void put(String k); }\n',
      'src/com/acme/Disk.java':
        'package com.acme;\npublic class Disk implements Store { public void put(String k) { check(k); } private void check(String k) {} static Disk open() { return new Disk(); } }\n',
      'src/com/app/Use.java':
        'package com.app;\nimport com.acme.Store;\nimport com.acme.Disk;\nclass Use { private final Store store; Use(Store s) { this.store = s; } void go() { store.put("x"); } void made() { Disk.open().put("y"); var d = new Disk(); d.put("z"); } }\n',
    });
    expect(callers('Store.put')).toEqual(['Use.go']);
    expect(callers('Disk.put')).toEqual(['Use.go (interface)', 'Use.made']);
    expect(callers('Disk.check')).toEqual(['Disk.put']);
    expect(callers('Disk')).toEqual(['Disk.open', 'Use.made']);
  });
});

describe('calls in Rust', () => {
  it('follow impl blocks, Self, traits, modules and use', async () => {
    const { callers } = await programOf({
      'src/lib.rs': 'pub mod store;\nmod app;\n',
      'src/store.rs':
        'pub trait Put { fn put(&self); }\npub struct Disk { n: u32 }\nimpl Disk {\n  pub fn new() -> Self { Self::check(); Disk { n: 1 } }\n  fn check() {}\n}\nimpl Put for Disk { fn put(&self) {} }\npub fn open() -> Disk { Disk::new() }\n',
      'src/app.rs':
        'use crate::store::{self, Disk, open as start};\nuse crate::store::Put;\nstruct App { disk: Box<Disk> }\nimpl App { fn go(&self) { self.disk.put(); } }\nfn one() { let d = Disk::new(); d.put(); }\nfn two() { start(); store::open(); crate::store::open(); }\nfn three(p: &dyn Put) { p.put(); }\n',
    });
    expect(callers('Disk.new')).toEqual(['one', 'open']);
    expect(callers('Disk.check')).toEqual(['Disk.new']);
    expect(callers('open')).toEqual(['two']);
    expect(callers('Disk.put')).toEqual(['App.go', 'one', 'three (interface)']);
  });
});

describe('positions', () => {
  it('are those of an editor, also behind other letters and emoji', async () => {
    const { program } = await programOf({
      'a.py': '# 결제 취소 처리 🎉\ndef cancel_order():\n    "🎉"; go()\n',
    });
    expect(program.topLevel('a.py')[0]?.fact).toMatchObject({
      name: 'cancel_order',
      span: { line: 2, column: 1, endLine: 3 },
    });
    expect(program.file('a.py')?.facts.calls[0]).toMatchObject({ line: 3 });
  });
});
