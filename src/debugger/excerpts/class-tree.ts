/** What the classes of a module have from their bases, as far as others may call their methods or are told of them. */
import type { LexicalToken } from '../language/lexer.js';
import { plainBases } from './library.js';
import { append, type Unit } from './source-units.js';

/** What makes the classes that are derived from a class known to it or to others. */
const telling = new Set(['__init_subclass__', '__class_getitem__', '__mro_entries__', '__subclasshook__']);

/** The classes of a module, with those that their bases make known. */
export class ClassTree {
  /** Classes of which a base of the library may call any method. */
  readonly open: ReadonlySet<Unit>;
  /** Classes that others are told of, or that are made by a metaclass. */
  readonly told: ReadonlySet<Unit>;

  /** `classes`: by their names. */
  constructor(private readonly classes: ReadonlyMap<string, readonly Unit[]>) {
    const isOfLibrary = (base: string, own: readonly Unit[]): boolean =>
      own.length === 0 && !plainBases.has(base);
    this.told = this.withBase(
      (base, own) => isOfLibrary(base, own) || own.some(isTelling),
      ({ head }) => head.some(({ text }) => text === 'metaclass'),
    );
    // What another base of a class calls may be a method of this one.
    this.open = this.withBase(isOfLibrary, () => false, true);
  }

  /** Classes for one of whose bases, or of the bases of these, `holds`, or which are `seeds`; `own`: the classes of the program that a base may be. isMutual: those above them as well. */
  private withBase(
    holds: (base: string, own: readonly Unit[]) => boolean,
    isSeed: (unit: Unit) => boolean,
    isMutual = false,
  ): ReadonlySet<Unit> {
    const found = new Set<Unit>();
    const near = new Map<Unit, Unit[]>();
    for (const unit of [...this.classes.values()].flat()) {
      if (isSeed(unit)) found.add(unit);
      for (const base of basesOf(unit)) {
        const own = this.classes.get(base) ?? [];
        if (holds(base, own)) found.add(unit);
        for (const other of own) append(near, other, unit);
        if (isMutual) for (const other of own) append(near, unit, other);
      }
    }
    for (const unit of found) for (const other of near.get(unit) ?? []) found.add(other);
    return found;
  }
}

/** Whether a class, or a member of one, tells of classes that are derived from it. */
export const isTelling = ({ head, body, members }: Unit): boolean =>
  [...head, ...body, ...members.flatMap((member) => [...member.head, ...member.body])].some(({ text }) =>
    telling.has(text),
  ) || head.some(({ text }) => text === 'metaclass');

/** Names of the bases of a class and of its metaclass, of dotted ones the last part. */
function basesOf({ name, head }: Unit): string[] {
  const found: string[] = [];
  let depth = 0;
  const from = head.findIndex(({ text }, at) => text === name && head[at - 1]?.text === 'class');
  for (let at = from + 1; at < head.length; at += 1) {
    const { kind, text } = head[at] as LexicalToken;
    if ('([{'.includes(text)) depth += 1;
    else if (')]}'.includes(text)) depth -= 1;
    if (depth === 0) break;
    const next = head[at + 1]?.text;
    if (kind === 'name' && depth === 1 && next !== '.' && next !== '=') found.push(text);
    // A base that is made by a call may be anything, but for named tuples.
    if (text === '(' && depth === 2 && !plainBases.has(head[at - 1]?.text ?? '')) found.push('');
  }
  return found;
}
