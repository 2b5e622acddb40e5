import { describe, expect, it, vi } from 'vitest';
import { Breakpoints } from '../../../src/dap/breakpoints.js';
import { Raised } from '../../../src/dap/raised.js';
import { ForetraceError } from '../../../src/errors.js';

const placed = (...wanted: { line: number; condition?: string; logMessage?: string }[]): Breakpoints => {
  const breakpoints = new Breakpoints();
  breakpoints.place(wanted, [2, 3, 7]);
  return breakpoints;
};

describe('breakpoints', () => {
  it('stand on the next line that holds code', () => {
    const lines = new Breakpoints()
      .place([{ line: 1 }, { line: 3 }, { line: 4 }, { line: 8 }], [2, 3, 7])
      .map((one) => one.placed);
    expect(lines).toEqual([2, 3, 7, undefined]);
  });

  it('give their lines once, ascending, and follow a text that has changed', () => {
    const breakpoints = placed({ line: 5 }, { line: 2 }, { line: 7 }, { line: 9 });
    expect(breakpoints.lines).toEqual([2, 7]);
    breakpoints.replace([2, 6]);
    expect(breakpoints.lines).toEqual([2, 6]);
  });

  it.each([
    ['True', true],
    ['[0]', true],
    ["'False'", true],
    ['False', false],
    ['0', false],
    ['None', false],
    ["''", false],
    ['{}', false],
  ])('with a condition that is %s stop: %s', async (value, stops) => {
    const evaluate = vi.fn(async () => value);
    expect(await placed({ line: 3, condition: 'n > 1' }).stopsAt(3, evaluate, vi.fn())).toBe(stops);
    expect(evaluate).toHaveBeenCalledWith('n > 1');
  });

  it('that only say something do not stop, unless another one stands on the line', async () => {
    const say = vi.fn();
    const evaluate = async (expression: string): Promise<string> => `<${expression}>`;
    const log = { line: 3, logMessage: 'n is {n}, then {n + 1}!' };
    expect(await placed(log).stopsAt(3, evaluate, say)).toBe(false);
    expect(say).toHaveBeenCalledExactlyOnceWith('n is <n>, then <n + 1>!', false);
    expect(await placed(log, { line: 3 }).stopsAt(3, evaluate, say)).toBe(true);
    expect(await placed(log).stopsAt(2, evaluate, say)).toBe(false);
  });

  it('stop where their condition cannot be told, and say why', async () => {
    const say = vi.fn();
    const fails = async (): Promise<string> => {
      throw new Raised("NameError: name 'm' is not defined");
    };
    expect(await placed({ line: 3, condition: 'm' }).stopsAt(3, fails, say)).toBe(true);
    expect(say).toHaveBeenCalledExactlyOnceWith("line 3: NameError: name 'm' is not defined", true);
  });

  it('stop where the service fails, and say so', async () => {
    const say = vi.fn();
    const fails = async (): Promise<string> => {
      throw new ForetraceError('overloaded', 'too many wait');
    };
    expect(await placed({ line: 3, condition: 'm' }).stopsAt(3, fails, say)).toBe(true);
    expect(say).toHaveBeenCalledExactlyOnceWith('line 3: overloaded: too many wait', true);
  });

  it('leave a cancelled request to whoever cancelled it', async () => {
    const cancelled = async (): Promise<string> => {
      throw new ForetraceError('cancelled', 'the request was cancelled');
    };
    await expect(placed({ line: 3, condition: 'm' }).stopsAt(3, cancelled, vi.fn())).rejects.toMatchObject({
      code: 'cancelled',
    });
  });
});
