/** Intervals and tests for shares of right answers. Pure. */

/** Lower and upper end, in 0..1 (differences: -1..1). */
export type Interval = readonly [low: number, high: number];

/** Standard normal quantile of a two-sided 95 % interval. */
const z95 = 1.959963984540054;

/**
 * Wilson score interval (95 %) of `hits` out of `n` independent trials; everything is possible if n is 0.
 * Wilson, "Probable inference, the law of succession, and statistical inference", JASA 1927.
 */
export function wilson(hits: number, n: number): Interval {
  if (n === 0) return [0, 1];
  const share = hits / n;
  const z2 = z95 * z95;
  const centre = share + z2 / (2 * n);
  const spread = z95 * Math.sqrt((share * (1 - share)) / n + z2 / (4 * n * n));
  const scale = 1 + z2 / n;
  // Rounding must not push the ends past what a share can be, nor past the share itself.
  const low = hits === 0 ? 0 : Math.max(0, (centre - spread) / scale);
  const high = hits === n ? 1 : Math.min(1, (centre + spread) / scale);
  return [low, high];
}

/**
 * 95 % interval of the difference b - a of two shares of independent samples.
 * Newcombe, "Interval estimation for the difference between independent proportions", Statistics in Medicine 1998, method 10.
 */
export function differenceInterval(hitsA: number, nA: number, hitsB: number, nB: number): Interval {
  if (nA === 0 || nB === 0) return [-1, 1];
  const a = hitsA / nA;
  const b = hitsB / nB;
  const [lowA, highA] = wilson(hitsA, nA);
  const [lowB, highB] = wilson(hitsB, nB);
  const difference = b - a;
  return [difference - Math.hypot(b - lowB, highA - a), difference + Math.hypot(highB - b, a - lowA)];
}

/**
 * 95 % interval of the difference b - a of two shares over the same n questions, of which `onlyA` and `onlyB` were answered
 * right by one side alone: the Wald interval after half a question more in each of the four cells, so that few discordant
 * questions do not look like certainty. Agresti and Min, "Simple improved confidence intervals for comparing matched
 * proportions", Statistics in Medicine 2005.
 */
export function pairedInterval(onlyA: number, onlyB: number, n: number): Interval {
  if (n === 0) return [-1, 1];
  const total = n + 2;
  const difference = (onlyB - onlyA) / total;
  const spread = (z95 * Math.sqrt(onlyA + onlyB + 1 - (onlyB - onlyA) ** 2 / total)) / total;
  return [Math.max(-1, difference - spread), Math.min(1, difference + spread)];
}

/**
 * Two-sided p-value of McNemar's test in its exact form (a sign test on the discordant pairs): how likely a split at least
 * as uneven is if either side wins a discordant question with probability 1/2. 1 without discordant pairs.
 */
export function signTest(onlyA: number, onlyB: number): number {
  const n = onlyA + onlyB;
  if (n === 0 || onlyA === onlyB) return 1;
  const fewer = Math.min(onlyA, onlyB);
  // log C(n, k) - n log 2, added up from k = 0; logarithms, since 2^-n underflows.
  let logTerm = -n * Math.LN2;
  let tail = Math.exp(logTerm);
  for (let k = 1; k <= fewer; k++) {
    logTerm += Math.log((n - k + 1) / k);
    tail += Math.exp(logTerm);
  }
  return Math.min(1, 2 * tail);
}
