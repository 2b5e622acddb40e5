import { describe, expect, it } from 'vitest';
import { readLaunch } from '../../../src/dap/launch.js';
import { ForetraceError } from '../../../src/errors.js';

describe('the launch configuration', () => {
  it('has defaults, and leaves alone what clients add', () => {
    expect(readLaunch({ program: 'a.py', call: 'f()', type: 'foretrace', request: 'launch' })).toMatchObject({
      program: 'a.py',
      call: 'f()',
      stopOnEntry: true,
      mode: 'auto',
    });
    const start = { event: 'line', line: 3, locals: { x: '1' } };
    expect(
      readLaunch({ program: 'a.py', call: 'f(...)', start, stopOnEntry: false, mode: 'walk' }),
    ).toMatchObject({ start, stopOnEntry: false, mode: 'walk' });
  });

  it('does not change what it is given', () => {
    const given = { program: 'a.py', call: 'f()' };
    readLaunch(given);
    expect(given).toEqual({ program: 'a.py', call: 'f()' });
  });

  it.each([
    [undefined, /required property/],
    [{ program: 'a.py' }, /the configuration must have required property 'call'/],
    [{ program: '', call: 'f()' }, /program must NOT have fewer than 1 characters/],
    [{ program: 'a.py', call: 3 }, /call must be string/],
    [{ program: 'a.py', call: 'f()', mode: 'fast' }, /mode must be equal to one of the allowed values/],
    [{ program: 'a.py', call: 'f()', stopOnEntry: 'yes' }, /stopOnEntry must be boolean/],
  ])('%j is refused', (given, problem) => {
    let error: unknown;
    try {
      readLaunch(given);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(ForetraceError);
    expect((error as ForetraceError).code).toBe('invalid_message');
    expect((error as ForetraceError).details.actual).toMatch(problem);
  });
});
