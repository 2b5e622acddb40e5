import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Action } from '../../../src/debugger/action.js';
import { parseProgram } from '../../../src/debugger/program.js';
import type { DebuggerState } from '../../../src/debugger/state.js';
import { StateStore, stateKey, worldKey } from '../../../src/trajectory/index.js';
import { stateAt } from '../../support/states.js';
import { certain, greedySampling, identity } from '../../support/true-runs.js';

const into: Action = { kind: 'step_into', lines: [] };
const back: Action = { kind: 'inv_step_into', lines: [] };
const numbered = (x: number): DebuggerState => stateAt('line', 2, { x: String(x) });

describe('the store', () => {
  it('gives back what was put, the same object, and the first answer stays', () => {
    const store = new StateStore(1 << 20);
    const answer = certain(numbered(2));
    store.put('w', numbered(1), into, answer);
    store.put('w', numbered(1), into, certain(numbered(3)));
    expect(store.get('w', numbered(1), into)).toBe(answer);
    expect(store.get('w', numbered(1), back)).toBeUndefined();
    expect(store.get('v', numbered(1), into)).toBeUndefined();
    expect(store.get('w', null, into)).toBeUndefined();
    expect(store.stats()).toMatchObject({ states: 1, transitions: 1, lookups: 4, hits: 1 });
  });

  it('forgets the states not asked for the longest time, with all that was asked of them', () => {
    const one = new StateStore(1 << 20);
    one.put('w', numbered(10), into, certain(numbered(11)));
    const size = one.stats().bytes;
    const store = new StateStore(3 * size);
    for (let x = 10; x < 13; x += 1) store.put('w', numbered(x), into, certain(numbered(x + 1)));
    store.get('w', numbered(10), into);
    store.put('w', numbered(13), into, certain(numbered(14)));
    expect([10, 11, 12, 13].map((x) => store.get('w', numbered(x), into) !== undefined)).toEqual([
      true,
      false,
      true,
      true,
    ]);
    expect(store.stats()).toMatchObject({ states: 3, evictedStates: 1 });
  });

  it('drops what came from outside and does not fit the program, and nothing else', () => {
    const program = parseProgram('def f(x):\n    x += 1\n    return x\n', 'f(1)');
    const fitting = certain(numbered(2));
    const store = new StateStore(1 << 20);
    store.restore({ world: 'w', before: numbered(1), action: into, transition: fitting });
    const { bytes } = store.stats();
    const wrong = [stateAt('line', 999, {}), stateAt('line', 2, { nope: '1' })];
    for (const state of wrong) {
      const transition = certain(state);
      store.restore({ world: 'w', before: numbered(1), action: back, transition });
      store.restore({ world: 'w', before: null, action: into, transition });
      store.restore({ world: 'w', before: state, action: into, transition: fitting });
      store.restore({ world: 'w', before: state, action: back, transition: fitting });
    }
    const lines: Action = { kind: 'breakpoint', lines: [1] };
    store.restore({ world: 'w', before: numbered(1), action: lines, transition: fitting });
    expect(store.peek('w', numbered(1), back, program)).toBeUndefined();
    expect(store.get('w', numbered(1), into, program)).toBe(fitting);
    expect(store.get('w', numbered(1), lines, program)).toBeUndefined();
    expect(store.node('w', stateKey(null), program)).toBeUndefined();
    expect(store.successorsOf('w', stateKey(numbered(2)), program)).toEqual([]);
    for (const state of wrong) expect(store.get('w', state, into, program)).toBeUndefined();
    expect(store.stats()).toMatchObject({ states: 1, transitions: 1, bytes, evictedStates: 0 });
  });

  it('holds no more bytes than it may, and none when it is off, whatever is put', () => {
    const puts = fc.array(
      fc.record({ from: fc.nat(30), to: fc.nat(30), long: fc.nat(2000), isBack: fc.boolean() }),
    );
    fc.assert(
      fc.property(puts, fc.constantFrom(0, 3_000, 20_000), (all, maxBytes) => {
        const store = new StateStore(maxBytes);
        for (const { from, to, long, isBack } of all) {
          const state = stateAt('line', 2, { x: String(to), y: 'a'.repeat(long) });
          store.put('w', numbered(from), isBack ? back : into, certain(state));
          expect(store.stats().bytes).toBeLessThanOrEqual(maxBytes);
          for (const node of store.successorsOf('w', stateKey(state)))
            expect(node.edges.get('inv_step_into')?.to).toBe(stateKey(state));
        }
        const { states, transitions, bytes } = store.stats();
        expect(transitions).toBeGreaterThanOrEqual(states);
        expect(states === 0).toBe(bytes === 0);
      }),
    );
  });

  it('tells who listens of what is new, once, and not of what was restored', () => {
    const store = new StateStore(1 << 20);
    const told: unknown[] = [];
    store.onPut(({ action }) => told.push(action.kind));
    store.put('w', numbered(1), into, certain(numbered(2)));
    store.put('w', numbered(1), into, certain(numbered(2)));
    store.restore({ world: 'w', before: numbered(2), action: into, transition: certain(numbered(3)) });
    expect(told).toEqual(['step_into']);
    expect(store.get('w', numbered(2), into)).toBeDefined();
  });
});

describe('keys', () => {
  it('tell every part of a state apart, and not the order of locals', () => {
    const base: DebuggerState = {
      event: 'return',
      frames: [
        {
          line: 2,
          locals: new Map([
            ['a', '1'],
            ['b', '2'],
          ]),
          its: [1],
          gots: ['3'],
        },
      ],
      hiddenFrames: 0,
      value: '4',
    };
    const frame = base.frames[0] as DebuggerState['frames'][number];
    const changed: DebuggerState[] = [
      { ...base, event: 'exception' },
      { ...base, value: '5' },
      { ...base, hiddenFrames: 1 },
      { ...base, frames: [frame, frame] },
      ...[
        { line: 3 },
        { its: [2] },
        { gots: [] },
        { locals: new Map([['a', '1']]) },
        { lineBefore: 0 },
        { lineBefore: 1 },
      ].map((change) => ({
        ...base,
        frames: [{ ...frame, ...change }],
      })),
    ];
    const keys = [base, ...changed].map(stateKey);
    expect(new Set(keys).size).toBe(keys.length);
    const swapped = new Map([...frame.locals].reverse());
    expect(stateKey({ ...base, frames: [{ ...frame, locals: swapped }] })).toBe(stateKey(base));
  });

  it('tell every part of a world apart', () => {
    const key = worldKey(identity, 'p', greedySampling);
    const others = [
      ...(['model', 'dialect', 'language', 'setting'] as const).map((name) =>
        worldKey({ ...identity, [name]: 'other' }, 'p', greedySampling),
      ),
      worldKey(identity, 'q', greedySampling),
      worldKey(identity, 'p', { temperature: 1, topP: 1, seed: 0 }),
    ];
    expect(new Set([key, ...others]).size).toBe(others.length + 1);
    expect(worldKey(identity, 'p', { temperature: 0, topP: 0.5, seed: 9 })).toBe(key);
  });
});
