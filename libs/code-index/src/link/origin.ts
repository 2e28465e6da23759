/**
 * Whether something that is not known comes from outside: from a library, or from the language itself. `Promise.resolve()` may then not be
 * taken for a `resolve` of the workspace.
 */
import type { Expr } from '../facts/facts.js';
import { familyOf } from '../languages/language.js';
import type { Evaluator, Place } from './evaluate.js';
import type { Program, SymbolRef } from './program.js';

const DEPTH = 12;

export class Origins {
  constructor(
    private readonly program: Program,
    private readonly evaluator: Evaluator,
  ) {}

  /** True when the text says where it comes from, and that is nowhere in the workspace. */
  isOutside(expr: Expr, place: Place, depth = DEPTH): boolean {
    if (expr === null || depth <= 0) return false;
    switch (expr[0]) {
      case 'name':
        return this.isNameOutside(expr[1], place, depth - 1);
      case 'call':
      case 'object':
      case 'element':
        return this.isOutside(expr[1], place, depth - 1) || this.statesOutside(expr[1], place, depth - 1);
      case 'member':
        return this.isOutside(expr[1], place, depth - 1) || this.statesOutside(expr, place, depth - 1);
      default:
        return false;
    }
  }

  private isNameOutside(name: string, place: Place, depth: number): boolean {
    for (let scope = place.within; scope !== null; scope = this.program.container(scope)) {
      if (Object.hasOwn(scope.fact.locals, name)) {
        const holds = scope.fact.locals[name] ?? null;
        return holds?.[0] === 'name' && holds[1] === name ? false : this.isOutside(holds, place, depth);
      }
      if (this.program.inside(scope).some(({ fact }) => fact.name === name)) return false;
    }
    const own = this.program.topLevel(place.file.path).find(({ fact }) => fact.name === name);
    if (own !== undefined)
      return (
        own.fact.kind === 'variable' && this.isOutside(own.fact.type, { file: own.file, within: null }, depth)
      );
    const imports = place.file.facts.imports.filter(({ local }) => local === name);
    if (imports.length > 0)
      return imports.every(
        ({ from }) => !isRelative(from) && this.evaluator.modules.resolve(from, place.file).length === 0,
      );
    // In the other languages a package has names that stand in files which may not be here.
    const family = familyOf(place.file.language);
    return (
      (family === 'script' || family === 'python') && this.evaluator.fileName(name, place.file).length === 0
    );
  }

  /** A field or a function of the workspace that states a type from outside. */
  private statesOutside(expr: Expr, place: Place, depth: number): boolean {
    if (expr?.[0] !== 'member') return false;
    return this.evaluator
      .evaluate(expr[1], place)
      .flatMap((value): readonly SymbolRef[] =>
        value.kind === 'module' ? [] : this.evaluator.membersOf(value.symbol, expr[2]),
      )
      .some((member) =>
        this.isOutside(
          member.fact.type,
          { file: member.file, within: this.program.container(member) },
          depth,
        ),
      );
  }
}

function isRelative(from: string): boolean {
  return /^\.|^(?:crate|self|super)\b/.test(from);
}
