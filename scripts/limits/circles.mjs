/**
 * The circles of imports, `import type` included: files that cannot be understood, moved or tested without each other. Found as
 * strongly connected components (Tarjan), so that each file is named once, whatever the number of ways around.
 *
 * @returns {string[][]} the paths of each circle, in an order of imports
 */
export function findCircles(sources) {
  const targets = new Map(sources.map(({ path, imports }) => [path, new Set(imports.map(({ to }) => to))]));
  const order = new Map();
  const lowest = new Map();
  const stack = [];
  const circles = [];

  const visit = (path) => {
    order.set(path, order.size);
    lowest.set(path, order.get(path));
    stack.push(path);
    for (const target of targets.get(path) ?? []) {
      if (!order.has(target)) visit(target);
      if (stack.includes(target)) lowest.set(path, Math.min(lowest.get(path), lowest.get(target)));
    }
    if (lowest.get(path) !== order.get(path)) return;
    const circle = stack.splice(stack.indexOf(path));
    if (circle.length > 1 || targets.get(path)?.has(path)) circles.push(circle);
  };

  for (const path of targets.keys()) if (!order.has(path)) visit(path);
  return circles;
}
