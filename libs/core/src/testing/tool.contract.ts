/** What every tool must do. Run over all tools of the product. */
import { describe, expect, it } from '@jest/globals';
import type { Json } from '@bullpen/contracts';
import type { Tool } from '../ports/tool.js';

const NONSENSE: readonly Json[] = [null, 1, 'text', [], { surely_no_such_field: 1 }];

export function toolContract(name: string, tools: readonly Tool[]): void {
  describe(`${name} as tools`, () => {
    it('have names of their own that the provider takes', () => {
      const names = tools.map((tool) => tool.name);
      expect(new Set(names).size).toBe(names.length);
      for (const tool of names) expect(tool).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    });

    it.each(tools.map((tool) => [tool.name, tool] as const))(
      '%s describes itself and its closed object of arguments',
      (_, tool) => {
        expect(tool.description.length).toBeGreaterThan(20);
        expect(tool.inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
        expect(JSON.stringify(tool.inputSchema)).not.toContain('$schema');
      },
    );

    it.each(tools.map((tool) => [tool.name, tool] as const))(
      '%s answers nonsense with issues and never throws',
      (_, tool) => {
        for (const value of NONSENSE) {
          const parsed = tool.parse(value);
          expect(parsed.ok ? [] : parsed.issues).not.toEqual([]);
        }
      },
    );
  });
}
