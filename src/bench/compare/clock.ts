/** What the time of a forward pass is read off. */

/**
 * `wall`: what a user waits. `cpu`: processor time of the whole process, for a machine that others use at the same time; only with one thread
 * does it say how long a pass takes, for threads that wait for each other use it up as well.
 */
export const clocks = ['wall', 'cpu'] as const;
export type Clock = (typeof clocks)[number];

function seconds(clock: Clock): number {
  if (clock === 'wall') return performance.now() / 1e3;
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** Seconds that an awaited call takes. */
export async function timed(clock: Clock, work: () => Promise<unknown>): Promise<number> {
  const start = seconds(clock);
  await work();
  return seconds(clock) - start;
}
