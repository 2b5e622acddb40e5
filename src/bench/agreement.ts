/** How close two models' predictions are: over the same tokens, position by position. */

export interface Agreement {
  positions: number;
  /** Mean over the positions of KL(first || second), in nats. */
  kl: number;
  /** Share of the positions at which both find the same token most likely. */
  top1: number;
}

/** Sums of agreements over texts. */
export class AgreementSum {
  private positions = 0;
  private kl = 0;
  private same = 0;

  /** @param first logits [positions, vocabSize], as `second`; all finite */
  add(first: Float32Array, second: Float32Array, vocabSize: number): void {
    for (let start = 0; start < first.length; start += vocabSize) {
      const p = first.subarray(start, start + vocabSize);
      const q = second.subarray(start, start + vocabSize);
      this.positions += 1;
      this.kl += divergence(p, q);
      if (largest(p) === largest(q)) this.same += 1;
    }
  }

  result(): Agreement {
    return { positions: this.positions, kl: this.kl / this.positions, top1: this.same / this.positions };
  }
}

/** Index of the largest value, the first of equal ones. */
function largest(values: Float32Array): number {
  let best = 0;
  for (let i = 1; i < values.length; ++i) if ((values[i] as number) > (values[best] as number)) best = i;
  return best;
}

/** Logarithm of the sum of the exponentials. */
function logSum(logits: Float32Array): number {
  const top = logits[largest(logits)] as number;
  let sum = 0;
  for (const logit of logits) sum += Math.exp(logit - top);
  return top + Math.log(sum);
}

/** KL(softmax(p) || softmax(q)) in nats. */
export function divergence(p: Float32Array, q: Float32Array): number {
  const sumP = logSum(p);
  const sumQ = logSum(q);
  let result = 0;
  for (let i = 0; i < p.length; ++i) {
    const logP = (p[i] as number) - sumP;
    result += Math.exp(logP) * (logP - ((q[i] as number) - sumQ));
  }
  return result;
}
