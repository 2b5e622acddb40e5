/** Reproducible choices: the same seed asks the same questions. */
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

export class Random {
  private readonly generator;

  /** @param stream separates generators of one seed. */
  constructor(seed: number, stream: number) {
    // Neighbouring seeds of this generator begin alike: a large odd factor parts them.
    this.generator = xoroshiro128plus(Math.imul(seed, 0x9e3779b1) ^ Math.imul(stream + 1, 0x85ebca6b));
  }

  /** Uniform in [0, 1). */
  readonly unit = (): number => uniformFloat64(this.generator);

  /** A whole number from 0 to `bound` - 1. */
  below(bound: number): number {
    return uniformInt(this.generator, 0, bound - 1);
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }

  /** One of the items, with probabilities in proportion to their weights. */
  weighted<Item extends { readonly weight: number }>(items: readonly Item[]): Item {
    let left = this.unit() * items.reduce((sum, { weight }) => sum + weight, 0);
    for (const item of items) {
      left -= item.weight;
      if (left < 0) return item;
    }
    return items.at(-1) as Item;
  }
}
