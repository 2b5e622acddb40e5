/** The control flow of every function of a program, which needs the names of all of it. */
import type { SyntaxNode } from '@lezer/common';
import { builtinValues } from './builtin-values.js';
import { Callees } from './callees.js';
import { plainFunctions } from './certain-calls.js';
import { functionFlow } from './control-flow.js';
import type { ProgramFacts } from './effects.js';
import type { EntryReach } from './entry-reach.js';
import { conditionsAlone } from './flow.js';
import { mayAsk, mayBeHeld, mayHold, mayHoldIterators } from './held-generators.js';
import { foreignCode, hiddenCalls } from './hidden-calls.js';
import { hasPlainNames } from './inert-lines.js';
import type { LezerInput } from './lezer-input.js';
import type { Analysis, RawScope } from './scopes.js';
import type { SourceMap } from './source-error.js';
import { specialsOf } from './special-runs.js';
import { contains } from './statement-code.js';
import { isDocstring, statementsOf } from './syntax-nodes.js';

/** What runs code of its own where an exception leaves it, as `GeneratorExit` leaves a generator that is closed. */
const cleaning = new Set(['TryStatement', 'WithStatement']);

/** Special methods that the passes of a loop ask, and those by which anything may be asked. */
const asked = ['next', 'getitem', 'len', 'reversed', 'getattr', 'getattribute', 'del'];

/** A text and what the call that runs it reaches. */
export interface EnteredText {
  readonly source: string;
  readonly map: SourceMap;
  readonly input: LezerInput;
  readonly entry: EntryReach;
}

/** Functions and lambdas with their bodies, generator expressions with all of them. */
export interface Written {
  readonly bodies: readonly (readonly [RawScope, SyntaxNode])[];
  readonly generators: readonly (readonly [RawScope, SyntaxNode])[];
}

const property = /@\w*property\b[^\n]*\n(?:[ \t]*(?:[@#][^\n]*)?\n)*[ \t]*def[ \t]+(\w+)/g;

/** Gives each scope its flow, those of generator expressions what they call. */
export function findFlows(
  top: SyntaxNode,
  { bodies, generators: expressions }: Written,
  { scopes, moduleNames }: Analysis,
  { source, map, input, entry }: EnteredText,
): void {
  const bound = new Set([...moduleNames, ...scopes.flatMap(({ names }) => [...names])]);
  const functions = new Set(scopes.map(({ name }) => name));
  const { decorators } = input;
  const plain = plainFunctions(top, source, decorators);
  const callees = new Callees(top, {
    source,
    entry,
    scopes,
    decorators,
    plainFunctions: plain,
    bound,
    lineOf: (offset) => map.lineOf(offset),
  });
  // A function that the entry hands on, or iterators with callbacks, run where no call shows.
  const isHandedCode = entry.hasCallbacks || entry.values.some((name) => functions.has(name));
  // Nothing is left to run of a generator expression that is closed.
  const generators = bodies.filter(([{ isGenerator }]) => isGenerator);
  const hasFinalizers = /\b(__del__|weakref)\b/.test(source);
  const cleansUp = hasFinalizers || generators.some(([, body]) => contains(body, cleaning));
  const values = builtinValues(top, { source, bound, functions });
  const names = new Set(generators.map(([{ name }]) => name));
  const held = { source, names, values, bound };
  const isGiven = entry.given.some((name) => names.has(name));
  const isLoose = hasFinalizers || (names.size > 0 && (isHandedCode || isGiven || mayBeHeld(top, held)));
  const iterators = isLoose || isHandedCode || mayHoldIterators(top, held);
  const specials = specialsOf(source);
  const facts: ProgramFacts = {
    source,
    bound,
    functions,
    hidden: isHandedCode ? 'anywhere' : hiddenCalls(top, source, functions),
    specials,
    values,
    properties: new Set([...source.matchAll(property)].map(([, name = '']) => name)),
    cleansUp,
    finalizers: isLoose ? 'any' : names.size > 0 ? 'loops' : 'none',
    iterators,
    mayAsk: (iterable) => iterators || asked.some((name) => specials.has(name)) || mayAsk(iterable, held),
    mayHold: (node) => mayHold(node, held),
    plainNames: hasPlainNames(source, isLoose),
    plainFunctions: plain,
  };
  for (const [scope, node] of expressions) {
    const { all, named } = callees.entering([node], false, true);
    scope.called = all;
    scope.named = named;
  }
  const foreign = isHandedCode ? 'anything' : foreignCode(top, source);
  for (const [scope, body] of bodies) {
    scope.isPlain = plain.has(scope.name);
    scope.isNamed = callees.isNamed(scope.firstLine);
    const flow = { ...functionFlow(running(body, source), map, input, facts, callees), foreign, cleansUp };
    scope.flow = body.parent?.firstChild?.name === 'async' ? conditionsAlone(flow) : flow;
  }
}

/** The statements of a body that run: all but a docstring, unless it is the only one. That of a lambda is an expression. */
function running(body: SyntaxNode, source: string): SyntaxNode[] {
  if (body.name !== 'Body') return [body];
  const statements = statementsOf(body);
  const isDocumented = statements.length > 1 && statements[0] && isDocstring(statements[0], source);
  return isDocumented ? statements.slice(1) : statements;
}
