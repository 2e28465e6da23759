/** How long pieces of work keep the processor, for specs that bound it. */

/**
 * Processor time of the work in ms, what the system does for it included; the least of three runs. On a busy machine the clock
 * says little, and a single run may pay for a collection of garbage, or for memory that the system is slow to hand out.
 */
export function cpuMs(run: () => void): number {
  const once = (): number => {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
  return Math.min(once(), once(), once());
}
