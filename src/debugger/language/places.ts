/** Parts of a line that stand for an item: in what it is, and which indices lead to it. */
import type { Part } from './parts.js';
import { wordToken } from './tokens.js';

export const setdefault = wordToken('setdefault') as number;

/** Where an item of what a name or an attribute of one stands for is: the indices that lead to it. */
export interface Place {
  readonly base: Part;
  readonly path: readonly Part[];
}

/** undefined for what is no item of these. */
export function placeOf(target: Part): Place | undefined {
  if (target.kind !== 'subscript') return undefined;
  const [base, index] = target.parts as [Part, Part];
  if (isPlainBase(base)) return { base, path: [index] };
  const around = placeOf(base);
  return around && { ...around, path: [...around.path, index] };
}

/** `x.setdefault(k, v)` as the place that it leads to. */
export interface Defaulted extends Place {
  readonly otherwise: Part;
}

/** undefined for other parts. */
export function withDefaultIn(code: ArrayLike<number>, { kind, parts }: Part): Defaulted | undefined {
  const [callee, key, otherwise, ...others] = kind === 'call' ? parts : [];
  if (callee?.kind !== 'attribute' || code[callee.end - 1] !== setdefault || others.length > 0)
    return undefined;
  const base = callee.parts[0] as Part;
  return key && otherwise && isPlainBase(base) ? { base, path: [key], otherwise } : undefined;
}

/** Whether a part is a name or an attribute of a name. */
export const isPlainBase = ({ kind, parts }: Part): boolean =>
  kind === 'name' || (kind === 'attribute' && parts[0]?.kind === 'name');
