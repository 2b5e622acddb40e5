/** Scopes of a program and the names that live in them (docs/trace-language.md, section 3). */
import type { FunctionFlow } from './flow.js';

/** A function, lambda or generator expression. Lines are physical, as the syntax tree has them. */
export interface RawScope {
  /** As CPython names its code: the function's name, <lambda> or <genexpr>. */
  readonly name: string;
  /** `__qualname__`: with the classes and functions around it, as reprs of functions have it. */
  readonly qualifiedName: string;
  /** Line and offset of the first token, for the order of scopes. */
  readonly order: readonly [line: number, offset: number];
  readonly firstLine: number;
  readonly lastLine: number;
  readonly parent: RawScope | undefined;
  isGenerator: boolean;
  /** Its name stands for it and nothing else, and is only called (certain-calls.ts). */
  isPlain: boolean;
  /** It is entered by calls of its name alone, or of this name as an attribute (callees.ts). */
  isNamed: boolean;
  names: ReadonlySet<string>;
  /** Names that can be bound when a call begins: its parameters, which surely are, and those of the functions around it. */
  namesAtCall: ReadonlySet<string>;
  parameters: ReadonlySet<string>;
  /** Parameters that nothing binds again: they stand for what the call gave as long as the frame lives. */
  keptParameters: ReadonlySet<string>;
  /** Parameters that arguments by position are bound to, in order. */
  positional: readonly string[];
  readonly lines: Set<number>;
  readonly callLines: Set<number>;
  /** Line of the `for` and last line of its body, in source order. */
  readonly loops: { readonly line: number; readonly lastLine: number }[];
  /** Where a frame may stop next; undefined where nothing can be said. */
  flow: FunctionFlow | undefined;
  /** Of a generator expression that awaits nothing and whose element stands on one line: how many `for` it has; else 0. */
  clauses: number;
  /** Of a generator expression: first lines of the functions that it can enter; undefined: any. */
  called: ReadonlySet<number> | undefined;
  /** Of those that it names. */
  named: ReadonlySet<number>;
}

export type BlockKind = 'module' | 'class' | 'function' | 'generator' | 'comprehension';

/** A place where names live: what CPython's symbol table calls a block. Only some blocks are scopes. */
export class Block {
  readonly bound = new Set<string>();
  /** Names that are bound once more, or imported by the module. */
  readonly rebound = new Set<string>();
  readonly reads = new Set<string>();
  readonly globals = new Set<string>();
  readonly nonlocals = new Set<string>();
  readonly parameters = new Set<string>();
  readonly children: Block[] = [];
  /** Loops open around the statement being read: `break` and `continue` need one. */
  loopDepth = 0;

  constructor(
    readonly kind: BlockKind,
    readonly parent: Block | undefined,
    /** The scope whose frame runs the block's own expressions; undefined: never traced. */
    readonly scope: RawScope | undefined,
  ) {
    parent?.children.push(this);
  }

  bind(name: string): void {
    if (this.bound.has(name)) this.rebound.add(name);
    this.bound.add(name);
  }
}

export interface Analysis {
  /** In source order. */
  readonly scopes: readonly RawScope[];
  /** Names that module level binds otherwise than by `import`, also through `global`. */
  readonly moduleNames: ReadonlySet<string>;
  /** Of these the ones that are bound once and in no other place. */
  readonly keptNames: ReadonlySet<string>;
  /** Names that a function inside another one may bind there (`nonlocal`). */
  readonly reboundNames: ReadonlySet<string>;
}

const minus = (names: Iterable<string>, ...others: ReadonlySet<string>[]): Set<string> =>
  new Set([...names].filter((name) => !others.some((other) => other.has(name))));

const localNames = ({ bound, globals, nonlocals }: Block): Set<string> => minus(bound, globals, nonlocals);

/**
 * Finds the free names of `block`, bottom up, and notes local and free names together in `resolved`.
 * `visible`: names bound in the function-like blocks around it.
 */
function resolve(block: Block, visible: ReadonlySet<string>, resolved: Map<Block, Set<string>>): Set<string> {
  const local = localNames(block);
  const needed = minus([...block.reads, ...block.nonlocals], local, block.globals);
  const isFunction = block.kind !== 'module' && block.kind !== 'class';
  const inner = isFunction ? minus([...visible, ...local], block.globals) : visible;
  for (const child of block.children) {
    for (const name of resolve(child, inner, resolved)) {
      if (!isFunction || !local.has(name)) needed.add(name);
    }
  }
  const free = new Set([...needed].filter((name) => visible.has(name)));
  resolved.set(block, new Set([...local, ...free]));
  return free;
}

/** All names that are bound in a block or in one inside it. */
const boundInside = ({ bound, children }: Block): string[] => [...bound, ...children.flatMap(boundInside)];

/** Gives every scope its names; `owned` pairs each scope with its block, in the order they were met. */
export function resolveNames(module: Block, owned: readonly (readonly [Block, RawScope])[]): Analysis {
  const resolved = new Map<Block, Set<string>>();
  resolve(module, new Set(), resolved);
  const moduleNames = new Set(module.bound);
  const reboundNames = new Set<string>();
  // What a comprehension binds outside itself it binds where it stands; the body of a class may run in another function.
  for (const { kind, nonlocals } of resolved.keys())
    if (kind !== 'comprehension') for (const name of nonlocals) reboundNames.add(name);
  for (const [block, scope] of owned) {
    scope.names = resolved.get(block) ?? new Set();
    scope.parameters = block.parameters;
    scope.keptParameters = minus(block.parameters, block.rebound, reboundNames);
    scope.namesAtCall = minus(scope.names, minus(localNames(block), block.parameters));
    for (const name of block.globals) if (block.bound.has(name)) moduleNames.add(name);
  }
  const scopes = owned
    .map(([, scope]) => scope)
    .sort((a, b) => a.order[0] - b.order[0] || a.order[1] - b.order[1]);
  const keptNames = minus(module.bound, module.rebound, new Set(module.children.flatMap(boundInside)));
  return { scopes, moduleNames, keptNames, reboundNames };
}
