/** The tree of the expressions of code tokens (docs/trace-language.md, section 9): what an expression is and what is in it. */

export type PartKind =
  | 'constant'
  | 'name'
  | 'text'
  | 'display'
  | 'comprehension'
  | 'generator'
  | 'lambda'
  | 'attribute'
  | 'call'
  | 'subscript'
  | 'slice'
  | 'star'
  | 'keyword'
  | 'unary'
  | 'not'
  | 'binary'
  | 'compare'
  | 'and'
  | 'or'
  | 'ternary';

/** An expression: the tokens `code[first .. end - 1]`, without brackets around it, and the expressions in it. `text` is an f-string. */
export interface Part {
  readonly kind: PartKind;
  readonly first: number;
  readonly end: number;
  /** `code[begin .. until - 1]` are the same with the brackets that only group. */
  readonly begin: number;
  readonly until: number;
  /**
   * In order of evaluation but for these: of a call the callee first; of a ternary the condition, what it is if that holds, what it is else; of a
   * comprehension or generator expression the first iterable, then all else.
   */
  readonly parts: readonly Part[];
  /** Slots that a comprehension, a generator expression or a lambda binds. */
  readonly bound: ReadonlySet<number>;
}

/** Whether a part is of a kind whose value a state may tell: a name, or an attribute. */
export const isNamed = ({ kind }: Part): boolean => kind === 'name' || kind === 'attribute';

/** The tokens of a part, without brackets around it. */
export const partTokens = (code: ArrayLike<number>, { first, end }: Pick<Part, 'first' | 'end'>): number[] =>
  Array.from({ length: end - first }, (_, index) => code[first + index] as number);

const undecided: ReadonlySet<PartKind> = new Set([
  'and',
  'or',
  'ternary',
  'lambda',
  'comprehension',
  'generator',
  'text',
]);

/** Whether what is in a part may be evaluated later, more than once or not at all. */
export const isUndecided = ({ kind, parts }: Part): boolean =>
  undecided.has(kind) || (kind === 'compare' && parts.length > 2);
