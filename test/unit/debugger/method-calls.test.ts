/** Calls of methods: which function a line enters first, by the class that an object is shown with, and what the grammar leaves of the step. */
import { describe, expect, it } from 'vitest';
import { grammarOf } from '../../../src/debugger/language/grammar.js';
import { eventToken, lineToken, special } from '../../../src/debugger/language/tokens.js';
import { type Program, parseProgram } from '../../../src/debugger/program.js';
import { sharedVariables } from '../../../src/debugger/shared-variables.js';
import { GrammarWalker } from '../../../src/native/grammar-walker.js';
import { settledLine } from '../../../src/session/settle.js';
import { stateOf, stepOf } from '../../support/scripted-step.js';
import { frameAt } from '../../support/states.js';

const classes = [
  'class Node:',
  '    def __init__(self, val):',
  '        self.val = val',
  'class Sets:',
  '    def find(self, u):',
  '        return u',
  '    def join(self, u, v):',
  '        return u',
  '    def add(self, u):',
  '        return u',
  'class Other:',
  '    def find(self, u):',
  '        return u',
];
const locals = {
  xs: '[1]',
  s: '<Sets object {ids: [0, 1]}>',
  o: '<Other object>',
  node: "<Node object {val: 'x'}>",
  n: '2',
  k: '<list_iterator object>',
};
const stepInto = { kind: 'step_into', lines: [] } as const;

function standing(line: string, more: readonly string[] = [], its: number[] = []) {
  const before = [...classes, ...more];
  const body = line.endsWith(':') ? [`    ${line}`, '        pass'] : [`    ${line}`];
  const program = parseProgram(
    [...before, 'def f(xs, s, o, node, n, k):', ...body, '    return n', ''].join('\n'),
    'f(1, 2, 3, 4, 5, 6)',
  );
  const state = stateOf('line', [{ ...frameAt(before.length + 2, locals), its }]);
  return { program, state };
}

/** The name of the function that the line surely enters, with the parameters that are told. */
function entered(line: string, more?: readonly string[], its?: number[]) {
  const { program, state } = standing(line, more, its);
  const { ended, entered: found } = settledLine(stepOf(program, state, 'step_into'));
  const scope = program.scopes.find(({ firstLine }) => firstLine === found?.line);
  return (ended === 'calls' || ended === 'enters') && scope
    ? [scope.qualifiedName, Object.fromEntries(found?.values ?? [])]
    : ended;
}

describe('the method that a line enters', () => {
  it.each<[string, string, object]>([
    ['n = s.find(n)', 'Sets.find', { self: locals.s, u: '2' }],
    ['n = o.find(3)', 'Other.find', { self: '<Other object>', u: '3' }],
    ['s.add(node.val)', 'Sets.add', { self: locals.s, u: "'x'" }],
    ['s.join(node.next.val, v=n)', 'Sets.join', { self: locals.s, v: '2' }],
    ['xs[s.find(1)] = o.find(2)', 'Other.find', { self: '<Other object>', u: '2' }],
    ['n = xs[0] + s.find(1)', 'Sets.find', { self: locals.s, u: '1' }],
    ['node = Node(s.find(n))', 'Sets.find', { self: locals.s, u: '2' }],
    // Of an object that is not shown, the only one that is called so, where builtins have none.
    ['n = xs[0].link(n)', 'Net.link', { self: '1', u: '2' }],
  ])('of %s is %s', (line, name, values) => {
    const more = ['class Net:', '    def link(self, u):', '        return u'];
    expect(entered(line, more)).toEqual([name, values]);
  });

  it.each([
    'n = k.find(n)',
    'n = xs.find(n)',
    'n = Sets.link(n)',
    'n = n - 1 and s.find(n)',
    'n = k.val + s.find(n)',
  ])('of %s is not told', (line) => expect(entered(line)).toBeUndefined());

  it('is not told where it may be another one', () => {
    const twice = ['class Sets:', '    def find(self, u):', '        return n'];
    const decorated = ['class C:', '    @print', '    def static(u):', '        return u'];
    const assigned = ['def g(s):', '    s.find = len'];
    expect(entered('n = s.find(n)', twice)).toBeUndefined();
    expect(entered('n = k.static(n)', decorated)).toBeUndefined();
    expect(entered('n = s.find(n)', assigned)).toBeUndefined();
    expect(
      entered('n = s.find(n)', ['class D:', '    def __getattribute__(self, name):', '        return 1']),
    ).toBeUndefined();
  });

  it('is not told behind what makes what is missing', () => {
    const made = 'import collections';
    const factory = (text: string) => [made, 'def g():', `    return collections.defaultdict(${text})`];
    expect(entered('n = s.find(xs[0])', factory('Node'))).toBeUndefined();
    expect(entered('n = s.find(xs[0])', factory('lambda: 1'))).toBeUndefined();
    expect(entered('n = s.find(xs[0])', factory('list'))).toMatchObject(['Sets.find', {}]);
  });

  it('is that of a loop at its first pass alone', () => {
    expect(entered('for x in s.find(n):', [], [0])).toMatchObject(['Sets.find', {}]);
    expect(entered('for x in s.find(n):', [], [1])).toBe('ended');
  });

  it('is the only one that the step may enter', () => {
    const { program, state } = standing('n = s.find(o.find(n))');
    const { ended, entered: found } = settledLine(stepOf(program, state, 'step_into'));
    const ordinal = (line: number): number => lineToken(program.codeLines.indexOf(line) + 1);
    const accepts = (callee: number | undefined, ...tokens: number[]): boolean => {
      const { data, start } = grammarOf(program).forQuestion(state, stepInto, { ended, callee });
      const walker = new GrammarWalker(data, start.state, start.frames, 100);
      return tokens.every((token) => walker.accept(token));
    };
    const [own] = state.frames;
    const entering = (name: string): number[] => {
      const { firstLine = 0 } = program.scopes.find(({ qualifiedName }) => qualifiedName === name) ?? {};
      return [special.push, ordinal(own?.line ?? 0), eventToken('call'), ordinal(firstLine)];
    };
    expect(accepts(found?.line, ...entering('Other.find'))).toBe(true);
    expect(accepts(found?.line, ...entering('Sets.find'))).toBe(false);
    expect(accepts(found?.line, eventToken('line'))).toBe(false);
    // Nothing that is evaluated before can raise anything.
    expect(ended).toBe('enters');
    expect(accepts(found?.line, eventToken('exception'))).toBe(false);
    expect(accepts(undefined, eventToken('exception'))).toBe(true);
    const unsure = standing('n = s.find(xs[n])');
    expect(settledLine(stepOf(unsure.program, unsure.state, 'step_into')).ended).toBe('calls');
    // Where it is not known which, and for one that the line does not name.
    for (const callee of [undefined, 1]) expect(accepts(callee, ...entering('Sets.find'))).toBe(true);
  });
});

describe('a call begins', () => {
  const closure = (line: string): Program =>
    parseProgram(
      ['def f(self, n):', '    def go(i):', '        self.n = i', `        ${line}`, '    go(n)', ''].join(
        '\n',
      ),
      'f(1, 2)',
    );
  const shared = (line: string) => {
    const program = closure(line);
    const frame = frameAt(4, { self: '<C object {n: 1}>', go: '<function f.<locals>.go>', i: '1' });
    return sharedVariables(program, stateOf('line', [frameAt(5, {}), frame]), stepInto)
      .get(2)
      ?.get('self');
  };

  it('with the objects that its caller shares with it', () => {
    expect(shared('go(i + 1)')).toBe('<C object {n: 1}>');
    expect(shared('go(self.take(i))')).toBeUndefined();
  });
});

describe('a condition on objects', () => {
  const holds = (condition: string, more: readonly string[] = []) => {
    const { program, state } = standing(`while ${condition}:`, more);
    return settledLine(stepOf(program, state, 'step_over')).results.holds;
  };

  it.each<[string, boolean | undefined]>([
    ['node', true],
    ['not node', false],
    ['not node or o', true],
    ['node and n', true],
    ['node is None', false],
    ['node is not None', true],
    ['node == None', false],
    ['node.next', undefined],
    ['node and node.next', undefined],
    ['not node and node.next', false],
    ['node is o', undefined],
    ['node.val is None', undefined],
    ['k(n)', undefined],
  ])('%s comes to %s', (condition, expected) => expect(holds(condition)).toBe(expected));

  it.each(['frozenset()', 'OrderedDict()', 'Point(x=1)'])('%s is an object if it shows fields', (value) => {
    const { program, state } = standing('while node:');
    const [frame = frameAt(1, {})] = state.frames;
    const other = { ...frame, locals: new Map([...frame.locals, ['node', value] as const]) };
    const found = settledLine(stepOf(program, stateOf('line', [other]), 'step_over'));
    expect(found.results.holds).toBe(value.includes('=') ? true : undefined);
  });

  it('is not told where objects may say it themselves', () => {
    expect(holds('node', ['class D:', '    def __len__(self):', '        return 0'])).toBeUndefined();
  });
});
