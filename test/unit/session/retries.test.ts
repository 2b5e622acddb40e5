import { describe, expect, it } from 'vitest';
import { RetryLedger } from '../../../src/session/retries.js';

describe('answers kept for retries', () => {
  const keyOf = (index: number): string => `key-number-${String(index).padStart(8, '0')}`;
  const ledgerOf = (maxWeight: number) => {
    const ledger = new RetryLedger({ maxEntries: 4, maxWeight });
    let runs = 0;
    const ask = (index: number, weight: number): unknown =>
      ledger.once({ key: keyOf(index), question: index, run: () => (runs += 1), weigh: () => weight });
    return { ledger, ask };
  };

  it('are bounded by weight and by number, the oldest first', () => {
    const { ledger, ask } = ledgerOf(100);
    for (const index of [1, 2, 3]) ask(index, 40);
    expect(ledger.held).toBe(80);
    expect([ask(2, 40), ask(3, 40)]).toEqual([2, 3]);
    expect(ask(1, 40)).toBe(4);
    for (const index of [5, 6, 7, 8, 9]) ask(index, 1);
    expect(ledger.held).toBe(4);
  });

  it('hold the newest whatever it weighs', () => {
    const { ledger, ask } = ledgerOf(100);
    ask(1, 40);
    expect(ask(2, 1000)).toBe(2);
    expect(ledger.held).toBe(1000);
    expect(ask(2, 1000)).toBe(2);
    expect(ask(3, 1)).toBe(3);
    expect(ledger.held).toBe(1);
  });
});
