/** The last word of an expression that is called: what a reader would search for. */
import type { Expr } from '../facts/facts.js';

/** The last word of an expression. */
export function lastName(expr: Expr): string {
  switch (expr?.[0]) {
    case 'name':
      return expr[1];
    case 'member':
      return expr[2];
    case 'call':
    case 'object':
    case 'element':
      return lastName(expr[1]);
    case 'super':
    case 'self':
      return expr[0];
    default:
      return '';
  }
}
