/** A caller behind a return: its line with the values that its calls gave, and where it goes on. */
import { describe, expect, it } from 'vitest';
import { compileGrammar } from '../../../src/debugger/language/grammar.js';
import { returnedLine } from '../../../src/debugger/language/returned.js';
import {
  eventToken,
  isSlotToken,
  lineToken,
  slotBase,
  special,
  tokenText,
} from '../../../src/debugger/language/tokens.js';
import { parseProgram } from '../../../src/debugger/program.js';
import { leftByException } from '../../../src/debugger/raised.js';
import type { DebuggerState } from '../../../src/debugger/state.js';
import { GrammarWalker } from '../../../src/native/grammar-walker.js';
import { locals, withLine } from '../../support/one-line.js';
import { frameAt } from '../../support/states.js';

describe('behind a return', () => {
  const functions = [
    'def g(x):',
    '    return x',
    'def h(x, y=1):',
    '    return [x, y]',
    'def k(x):',
    '    print(x.pop())',
  ];
  const returned = (line: string, gots: readonly string[], value: string, before: readonly string[] = []) => {
    const program = withLine(line, [...functions, ...before]);
    const at = functions.length + before.length + 2;
    const state: DebuggerState = {
      event: 'return',
      frames: [frameAt(at, locals, gots), frameAt(2, { x: '1' })],
      hiddenFrames: 0,
      value,
    };
    const found = returnedLine(program, state);
    const word = (token: number): string =>
      isSlotToken(token) ? (program.slotNames[token - slotBase] ?? '') : tokenText(token);
    const code = found?.code.map((token) => word(token).replaceAll(/<\|[ow]:|\|>/g, ''));
    return found?.value ?? code?.join(' ');
  };

  it.each<[string, readonly string[], string, string]>([
    ['n = g(n)', [], '5', '5'],
    ['return g(n)', [], '<C object>', '<C object>'],
    ['if g(n):', [], 'False', 'False'],
    ['n = g(h(n))', ['[2, 1]'], '8', '8'],
    ['return g(n) + g(n - 1)', ['3'], '4', 'return 3 + 4'],
    ['n = [g(1), h(a, y=g(2))]', ['1', '2'], '[3, 4]', 'n = [ 1 , [ 3 , 4 ] ]'],
    ['n = len(h(n)) + abs(n)', [], '[2, 1]', 'n = len ( [ 2 , 1 ] ) + abs ( n )'],
    ['n = g(1) ** 2', [], '-3', 'n = ( - 3 ) ** 2'],
    ['n = g(1) and n > 2', [], '0', 'n = 0 and n > 2'],
    ['return n and g(n)', [], '3', 'return n and 3'],
    ['return g(1) and g(2) and n', ['True'], '5', 'return True and 5 and n'],
    ['return g(1) and g(2)', [], '0', 'return 0 and g ( 2 )'],
    ['n = g(1) if xs else g(2)', [], '7', 'n = 7 if xs else g ( 2 )'],
    ['n += g(1)', [], '3', 'n += 3'],
    ['n = [g(x) for x in xs]', ['1'], '3', 'n = [ 1 , 3 ]'],
    ['n = sum([g(x * 2) for x in xs])', ['1'], '3', 'n = sum ( [ 1 , 3 ] )'],
    ['xs[g(0)] = n', [], '0', 'xs [ 0 ] = n'],
    ['xs.append((g(n), n))', [], '0', 'xs . append ( ( 0 , n ) )'],
    ['xs.insert(g(0), -g(n))', ['1'], '3', 'xs . insert ( 1 , - 3 )'],
  ])('%s has the value of each call in its place', (line, gots, value, expected) => {
    const text = line.endsWith(':') ? `${line}\n        pass` : line;
    expect(returned(text, gots, value)).toBe(expected);
  });

  it.each<[string, readonly string[], string, string]>([
    ['a list may have been changed by the next call', ['[1]'], '[3]', 'return [g(n), h(n)]'],
    ['more has returned than the line calls', ['1'], '3', 'return g(n)'],
    ['which operand is evaluated is not told', [], '3', 'return n - 2 and g(n)'],
    ['something else may have called it', [], '3', 'return sorted(xs, key=lambda k: g(k))[0]'],
    ['it was called for items that it may change', ['1'], '3', 'return [k(x) for x in xs]'],
    ['an unknown function is called', [], '3', 'return a.run(g(n))'],
    ['something is changed before', [], '3', 'n = [xs.pop(), g(n)]'],
    ['what is changed may be anything', [], '3', 'y.append(g(n))'],
    ['a value that is needed is no literal', ['<C object>'], '3', 'return [g(n), h(n)]'],
    ['the line is the head of a loop', [], '3', 'for k in g(n):\n        pass'],
  ])('nothing is known where %s', (_, gots, value, line) => {
    expect(returned(line, gots, value)).toBeUndefined();
  });

  it('methods count that have their name alone, and values where no class derived from these has operators', () => {
    const method = ['class C:', '    def put(self, x):', '        return x'];
    expect(returned('return a.put(n) + 1', [], '3', method)).toBe('return 3 + 1');
    expect(returned('return a.put(n) + 1', [], '3', [...method, ...method])).toBeUndefined();
    const special = ['class C:', '    def __add__(self, x):', '        return x'];
    expect(returned('return g(n) + 1', [], '3', special)).toBe('return 3 + 1');
    const derived = ['class C(int):', ...special.slice(1)];
    expect(returned('return g(n) + 1', [], '3', derived)).toBeUndefined();
  });
});

describe('a caller', () => {
  const program = parseProgram(
    [
      'def check(x):',
      '    if x < 0:',
      '        raise ValueError(x)',
      '    return x',
      'def f(n):',
      '    if check(n):',
      '        n = check(1) + check(2)',
      '    return n',
      '',
    ].join('\n'),
    'f(2)',
  );
  const state = (caller: number, line: number, value: string): DebuggerState => ({
    event: 'return',
    frames: [frameAt(caller, { n: '2' }), frameAt(line, { x: '2' })],
    hiddenFrames: 0,
    value,
  });
  const step = { kind: 'step_over' as const, lines: [] };
  const accepts = (
    from: DebuggerState,
    ended: 'ended' | 'holds' | 'fails' | 'raised',
    ...tokens: number[]
  ) => {
    const { data, start } = compileGrammar(program).forQuestion(from, step, { ended });
    const walker = new GrammarWalker(data, start.state, start.frames, 100);
    return [special.pop, ...tokens].every((token) => walker.accept(token));
  };

  it('calls nothing more once its calls have been made', () => {
    const from = state(7, 4, '2');
    expect(accepts(from, 'ended', eventToken('line'), lineToken(8), special.end)).toBe(true);
    expect(accepts(from, 'ended', eventToken('exception'), lineToken(7))).toBe(true);
    expect(accepts(from, 'ended', special.push)).toBe(false);
  });

  it('goes where the condition leads that was decided', () => {
    const from = state(6, 4, '2');
    expect(accepts(from, 'holds', eventToken('line'), lineToken(7))).toBe(true);
    expect(accepts(from, 'holds', eventToken('line'), lineToken(8))).toBe(false);
    expect(accepts(from, 'fails', eventToken('line'), lineToken(8))).toBe(true);
    expect(accepts(from, 'fails', eventToken('line'), lineToken(7))).toBe(false);
  });

  it('meets the exception by which a function was left', () => {
    expect(leftByException(program, state(6, 3, 'None'))).toBe(true);
    expect(leftByException(program, state(6, 2, 'None'))).toBe(true);
    expect(leftByException(program, state(6, 4, 'None'))).toBe(false);
    expect(accepts(state(6, 3, 'None'), 'raised', eventToken('exception'), lineToken(6))).toBe(true);
    expect(accepts(state(6, 3, 'None'), 'raised', eventToken('line'))).toBe(false);
  });

  it('knows a `return` of None that would have given something else', () => {
    const left = (line: string, more = '', value = 'None') => {
      const of = parseProgram(`def g(x):\n    ${line}\ndef f(n):\n    return g(n)\n${more}`, 'f(2)');
      const frames = [frameAt(4, { n: '2' }), frameAt(2, { x: '2' })];
      return leftByException(of, { event: 'return', frames, hiddenFrames: 0, value });
    };
    for (const line of [
      'return 1 // x',
      'return x > 3',
      'return not g(x)',
      'return [g(x)], x',
      "return f'{g(x)}'",
    ])
      expect([line, left(line)]).toEqual([line, true]);
    for (const line of [
      'return g(x)',
      'return x',
      'return x or x + 1',
      'return -x if x else None',
      'return',
      'return None',
    ])
      expect([line, left(line)]).toEqual([line, false]);
    expect(left('return 1 // x', '', '1')).toBe(false);
    const own = 'class C:\n    def __rfloordiv__(self, other):\n        return None\n';
    expect(left('return 1 // x', own)).toBe(false);
    expect(left('return 1 // x', 'class C:\n    def __init__(self):\n        self.a = 1\n')).toBe(true);
  });

  it('may meet none where the body of a class takes it', () => {
    const inside = parseProgram(
      'def g():\n    raise ValueError\ndef f(n):\n    class A:\n        try: g()\n        except ValueError: pass\n    return n\n',
      'f(2)',
    );
    const from = (line: number): DebuggerState => ({
      event: 'return',
      frames: [frameAt(line, { n: '2' }), frameAt(2, {})],
      hiddenFrames: 0,
      value: 'None',
    });
    expect(leftByException(inside, from(4))).toBe(false);
    expect(leftByException(inside, from(7))).toBe(true);
  });
});
