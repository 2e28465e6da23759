/**
 * Loaded into a worker with `--import <this file>?ms=<shift>`: its clock is that far off, in all its threads. What measures
 * durations is left alone, as on a machine with a wrong clock.
 */
const shiftMs = Number(new URL(import.meta.url).searchParams.get('ms'));
const RealDate = Date;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args: unknown[], newTarget) =>
    Reflect.construct(target, args.length === 0 ? [target.now() + shiftMs] : args, newTarget) as object,
  apply: (target) => new target(target.now() + shiftMs).toString(),
  get: (target, name, receiver) =>
    name === 'now' ? () => target.now() + shiftMs : (Reflect.get(target, name, receiver) as unknown),
});

export {};
