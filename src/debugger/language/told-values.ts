/** What parts of a line are worth in a frame: its literals and names, and what is made of these alone. */
import { isImmutable } from '../frozen.js';
import { boundedRepr } from '../literals.js';
import { nameOfSlot, type Program } from '../program.js';
import type { Running } from '../running.js';
import type { Frame } from '../state.js';
import {
  attributeName,
  attributeNamed,
  attributeOf,
  classOfObject,
  hasPlainAttributes,
  memberAt,
  valueOfPart,
} from './attributes.js';
import { boundText } from './bound-methods.js';
import { dataClassesOf, madeOf } from './data-classes.js';
import { derivesFromBuiltins } from './derived-builtins.js';
import { brace, isMapping, isSequence, itemsIn } from './displays.js';
import { emptyMadeBy } from './empty-collections.js';
import { hasEnumerations, memberLookedUp } from './enums.js';
import { exceptionName } from './exception-classes.js';
import { argumentsOfException, isLastingException, textOfException } from './exception-values.js';
import { fStringText, type Shown } from './f-strings.js';
import { isInfinite } from './infinite.js';
import { itemAt } from './item-changes.js';
import { joined } from './items.js';
import { iterated } from './iterated.js';
import { typeName } from './kinds.js';
import { isLiteral } from './literal-values.js';
import { longText } from './long-values.js';
import { entryOf, tableNamed } from './member-tables.js';
import { isDecorated } from './methods.js';
import { dictOf } from './nested-items.js';
import { ownerOfPart } from './object-owners.js';
import { truthOf } from './object-truth.js';
import { isNamed, type Part, partTokens } from './parts.js';
import { isAttribute, isStored, methodOf } from './program-classes.js';
import { textOfRepr } from './strings.js';
import { charToken, special, textTokens, wordToken } from './tokens.js';
import { toldValue } from './told.js';
import { decodeValue, encodeValue } from './values.js';
import { writtenScope } from './written.js';

type Value = readonly number[];
const cycle = textTokens('...').join();
const star = charToken('*');
const str = wordToken('str');
const none = wordToken('None') as number;
/** Most characters of an f-string that stands in a line as its value. */
const longestString = 96;

/** Whether a value is not cut. What holds what holds it is not written out there either. */
export const isWhole = (value: Value): boolean =>
  isLiteral(value) || (!value.includes(special.cut) && !value.join().includes(cycle));

/** The value of a name or an attribute of one, objects too, if the frame shows it whole. */
export function shownWhole(
  program: Program,
  code: ArrayLike<number>,
  part: Part,
  frame: Frame,
): Value | undefined {
  const value = isNamed(part) ? valueOfPart(program, code, part, frame) : undefined;
  return value && isWhole(value) ? value : undefined;
}

/** The canonical repr that these tokens spell, cut where it is too long. */
export function textOf(program: Program, tokens: Value): string | undefined {
  const text = decodeValue(program, tokens);
  return typeof text === 'string' ? boundedRepr(text) : undefined;
}

/** The values of parts of a line, where the line tells them. */
export class ToldValues {
  constructor(
    protected readonly program: Program,
    protected readonly running: Running,
    protected readonly code: ArrayLike<number>,
    protected readonly isStale: boolean,
    /** A part of which it is known otherwise. */
    private readonly computed?: { readonly part: Part; readonly text: string } | undefined,
  ) {}

  private isComputed({ first, end }: Part): boolean {
    return this.computed?.part.first === first && this.computed.part.end === end;
  }

  /** The value of a literal, or of what is made of literals. */
  tokens(part: Part): Value | undefined {
    return toldValue(this.code, part, (inner) => this.known(inner));
  }

  /** What is known of names, of attributes and of the part that is known otherwise; null where it is no literal, undefined for other parts. */
  private known(part: Part): Value | null | undefined {
    if (part.kind === 'attribute') return this.held(part);
    const said = this.said(part);
    if (said !== undefined) return said;
    if (part.kind === 'text') return this.shortString(part);
    if (isInfinite(this.code, part)) return partTokens(this.code, part);
    if (part.kind !== 'name' && !this.isComputed(part)) return undefined;
    const text = this.text(part);
    const value = text === undefined ? [] : encodeValue(this.program, text);
    return isLiteral(value) ? value : null;
  }

  /** What an f-string comes to, if it is short. */
  private shortString(part: Part): Value | undefined {
    const text = this.fString(part);
    return text === undefined || text.length > longestString ? undefined : encodeValue(this.program, text);
  }

  private fString(part: Part): string | undefined {
    return fStringText(this.program, this.code, part, (inner) => this.inField(inner));
  }

  /** What stands in a field of an f-string: a literal, or an exception. */
  inField(part: Part): Shown | undefined {
    const value = this.value(part);
    if (value !== undefined) return this.shownAs(value);
    const exception = part.kind === 'name' ? this.named(part) : undefined;
    const said = exception === undefined ? undefined : textOfException(this.program, exception);
    const text = said && this.shownAs(said);
    return exception !== undefined && text ? { repr: exception, text: text.repr } : undefined;
  }

  private shownAs(value: Value): Shown | undefined {
    const repr = decodeValue(this.program, value);
    return typeof repr === 'string' ? { repr } : undefined;
  }

  /** `e.args` of an exception. */
  private given(part: Part): Value | undefined {
    const [base] = part.parts;
    const isArguments = this.nameAt(part.end - 1) === 'args';
    const text = isArguments && base?.kind === 'name' ? this.named(base) : undefined;
    return text === undefined ? undefined : argumentsOfException(this.program, text);
  }

  /** `type(x).__name__` of a literal or an exception. */
  protected className({ end, parts }: Part): Value | undefined {
    const [callee, of, ...more] = parts[0]?.kind === 'call' ? parts[0].parts : [];
    const isType = callee?.kind === 'name' && this.nameAt(callee.first) === 'type';
    if (!isType || this.nameAt(end - 1) !== '__name__' || of === undefined || more.length > 0)
      return undefined;
    if (this.program.bound.has('type') || derivesFromBuiltins(this.program)) return undefined;
    const value = this.tokens(of);
    const text = value === undefined && of.kind === 'name' ? this.named(of) : undefined;
    const name = value ? typeName(value) : text && exceptionName(this.program, text);
    return name === undefined ? undefined : textTokens(`'${name}'`);
  }

  private nameAt(at: number): string {
    return attributeName(this.program, this.code[at] as number);
  }

  /** `str(e)` and `e.args[0]` of an exception. */
  private said({ kind, parts }: Part): Value | undefined {
    const [callee, given, ...more] = parts;
    if (callee === undefined || given === undefined || more.length > 0) return undefined;
    if (kind === 'subscript' && callee.kind === 'attribute') {
      const [items, index] = [this.given(callee), this.tokens(given)];
      return items && index && itemAt(items, index);
    }
    if (kind !== 'call' || callee.kind !== 'name' || given.kind !== 'name') return undefined;
    const isText = this.code[callee.first] === str && !this.program.bound.has('str');
    const text = isText ? this.named(given) : undefined;
    return text === undefined ? undefined : textOfException(this.program, text);
  }

  /** The canonical repr of such a value, or of whatever a name stands for. */
  text(part: Part): string | undefined {
    if (this.isComputed(part)) return this.computed?.text;
    if (part.kind === 'name' && !isInfinite(this.code, part)) return this.named(part);
    if (part.kind === 'lambda') {
      const written = writtenScope(this.program, this.running.frame, this.code, part);
      return written && `<function ${written.qualifiedName}>`;
    }
    if (part.kind === 'text') {
      const text = this.fString(part);
      return text && boundedRepr(text);
    }
    const made = this.made(part) ?? this.member(part) ?? this.chosen(part) ?? this.compared(part);
    if (made !== undefined) return made;
    const tokens = part.kind === 'attribute' ? this.attribute(part) : (this.tokens(part) ?? this.item(part));
    if (tokens !== undefined) return this.written(tokens);
    if (part.kind === 'attribute') return this.method(part);
    const { program, code } = this;
    const shown = (inner: Part): string | undefined => this.heldAs(inner);
    const text = longText({ program, code, known: (inner) => this.known(inner), shown }, part);
    return text && boundedRepr(text);
  }

  /** The value of what is made of literals, calls that need no question among it. */
  protected value(part: Part): Value | undefined {
    const found = this.tokens(part);
    if (found !== undefined) return found;
    const text = this.text(part);
    const value = text === undefined ? [] : encodeValue(this.program, text);
    return isLiteral(value) ? value : undefined;
  }

  /** An object that is written as what it holds, or what holds such. */
  protected object(part: Part): Value | undefined {
    const text = this.text(part);
    const value = text === undefined ? undefined : encodeValue(this.program, text);
    return value && isWhole(value) ? value : undefined;
  }

  /** What a choice between two values comes to that is decided by literals, or by objects, which count as true. */
  private chosen({ kind, parts }: Part): string | undefined {
    const [condition, other, otherwise] = parts;
    if (kind !== 'ternary' || this.isStale || !condition || !other || !otherwise) return undefined;
    const { program, running, code } = this;
    const holds = truthOf(program, running.frame, code, condition, (part) => this.tokens(part));
    return holds === undefined ? undefined : this.text(holds ? other : otherwise);
  }

  /** Whether members of enumerations are the same. */
  private compared(part: Part): string | undefined {
    const { program, running, code } = this;
    const isCompared = part.kind === 'compare' || part.kind === 'not';
    if (!isCompared || this.isStale || !hasEnumerations(program) || this.tokens(part)) return undefined;
    const holds = truthOf(program, running.frame, code, part, (inner) => this.tokens(inner));
    return holds === undefined ? undefined : holds ? 'True' : 'False';
  }

  /** What a call of a data class makes, or one of an empty collection. */
  private made(part: Part): string | undefined {
    const { kind, parts } = part;
    const [callee, ...given] = kind === 'call' ? parts : [];
    const name = callee ? this.classCalled(callee) : '';
    const fields = dataClassesOf(this.program).get(name);
    if (fields === undefined) return emptyMadeBy(this.program, this.code, part);
    const keywords = given.filter((argument) => argument.kind === 'keyword');
    const inOrder = given
      .filter((argument) => !keywords.includes(argument))
      .flatMap((one) => this.byPosition(one));
    const named = keywords.map(
      ({ first, parts }) => [this.nameAt(first), this.text(parts[0] as Part)] as const,
    );
    const areTold = (texts: readonly (string | undefined)[]): texts is string[] => !texts.includes(undefined);
    if (!areTold(inOrder) || !areTold(named.map(([, text]) => text))) return undefined;
    const text = madeOf(name, fields, inOrder, new Map(named as [string, string][]));
    return text && boundedRepr(text);
  }

  /** The name of the class that a name stands for, itself or `cls`. */
  private classCalled({ kind, first }: Part): string {
    const name = kind === 'name' ? this.nameAt(first) : '';
    const text = this.running.frame.locals.get(name);
    return text === undefined ? name : (/^<class '([^\W\d]\w*)'>$/u.exec(text)?.[1] ?? '');
  }

  /** `Color(1)` and `Color['RED']`. */
  private member({ kind, parts }: Part): string | undefined {
    const [base, given, ...more] = parts;
    if (base === undefined || given === undefined || more.length > 0) return undefined;
    if ((kind !== 'call' && kind !== 'subscript') || !hasEnumerations(this.program)) return undefined;
    const tokens = given.kind === 'keyword' || given.kind === 'slice' ? undefined : this.tokens(given);
    const repr = tokens && this.written(tokens);
    return repr && memberLookedUp(this.program, this.classCalled(base), kind, repr);
  }

  /** What an argument by position gives, `*xs` all its items. */
  private byPosition(argument: Part): readonly (string | undefined)[] {
    if (argument.kind !== 'star') return [this.text(argument)];
    const value = this.code[argument.first] === star ? this.tokens(argument.parts[0] as Part) : undefined;
    return value && isSequence(value) ? itemsIn(value).map((item) => this.written(item)) : [undefined];
  }

  /** A literal, or what holds objects that are written as what they are. */
  protected contents(part: Part): Value | undefined {
    const value = this.tokens(part);
    if (value !== undefined) return value;
    const shown = this.shown(part);
    return shown && isWhole(shown) ? shown : undefined;
  }

  /** The text of a name or an attribute as it stands in what holds its value; that of what may be in itself is not told. */
  private heldAs(part: Part): string | undefined {
    const held = part.kind === 'attribute' ? this.attribute(part) : undefined;
    const text = part.kind === 'attribute' ? held && this.written(held) : this.named(part);
    return text === undefined || text.includes('...') || text.includes('<unrepresentable') ? undefined : text;
  }

  /** The value of an attribute, if it is a literal; null where it is not told. */
  private held(part: Part): Value | null {
    const found = this.attribute(part);
    return found !== undefined && isLiteral(found) ? found : null;
  }

  /** The value of an attribute that those of names tell. */
  protected attribute(part: Part): Value | undefined {
    const said = this.given(part) ?? this.className(part);
    if (said !== undefined) return said;
    const base = part.parts[0] as Part;
    const text = base.kind === 'name' ? this.named(base) : undefined;
    // What an object shows of itself counts, though it may be cut behind that.
    const { program, code, running } = this;
    const isClass = text === undefined && base.kind === 'name' && hasEnumerations(program);
    const member = isClass ? memberAt(program, code, base.first, running.frame) : undefined;
    if (member !== undefined) return member;
    const value = text === undefined ? this.shown(base) : encodeValue(this.program, text);
    const name = this.code[part.end - 1] as number;
    const held = value && attributeOf(this.program, value, name);
    return held && isWhole(held) ? held : undefined;
  }

  /** A method with its object. */
  private method(part: Part): string | undefined {
    const { program, running, code } = this;
    const [base] = part.parts as [Part];
    const name = this.nameAt(part.end - 1);
    const line = { program, frame: running.frame, code, told: (inner: Part) => this.tokens(inner) };
    const isPlain = hasPlainAttributes(program) && !this.isStale;
    const owner = isPlain ? ownerOfPart(line, base) : undefined;
    if (owner === undefined || owner === 'builtin' || isStored(program, name)) return undefined;
    const method = methodOf(program, owner, name);
    const object = this.text(base);
    if (!method || object === undefined || object.includes('…') || isDecorated(program, method))
      return undefined;
    return boundedRepr(boundText(method, object));
  }

  /** An item of a list or dict that holds objects: the literals in others are looked up by whoever works the line out. */
  private item(part: Part): Value | undefined {
    const { kind, parts } = part;
    if (kind === 'call') return this.gotten(part) ?? this.lookedUp(part);
    const [base, index] = kind === 'subscript' ? parts : [];
    const entry = base && index && this.entry(base, index);
    if (entry !== undefined) return entry ?? undefined;
    const [value, key] = [base && this.shown(base), index && this.tokens(index)];
    const dict = value && (dictOf(this.program, value) ?? value);
    const held = dict && key && !isLiteral(value) ? itemAt(dict, key) : undefined;
    return held && isWhole(held) ? held : undefined;
  }

  /** What a dict that is looked into by members of enumerations has by a key; null: nothing. undefined also for other dicts. */
  private entry(base: Part, key: Part): Value | null | undefined {
    const { program, running, code } = this;
    const table = tableNamed(program, running.frame, code, base);
    const text = table && this.text(key);
    const found = table && text !== undefined ? entryOf(program, table, text) : undefined;
    return typeof found === 'string' ? encodeValue(program, found) : found;
  }

  /** `d.get(k)` of a dict that holds objects. */
  private gotten({ parts }: Part): Value | undefined {
    const [callee, key, otherwise, ...more] = parts;
    const isGet = callee?.kind === 'attribute' && this.nameAt(callee.end - 1) === 'get' && more.length === 0;
    if (!isGet || key === undefined || key.kind === 'keyword' || otherwise?.kind === 'keyword')
      return undefined;
    const [base] = callee.parts as [Part];
    const entry = this.entry(base, key);
    if (entry !== undefined) return entry ?? (otherwise ? this.tokens(otherwise) : [none]);
    const [held, index] = [this.shown(base), this.tokens(key)];
    const dict = held && (dictOf(this.program, held) ?? held);
    // What literals hold is asked.
    const isAsked = held === undefined || isLiteral(held) || index === undefined;
    if (isAsked || dict?.[0] !== brace || !isMapping(dict)) return undefined;
    const found = itemAt(dict, index);
    if (found === undefined) return otherwise === undefined ? [none] : this.tokens(otherwise);
    return isWhole(found) ? found : undefined;
  }

  /** `getattr(x, 'name')` of an object that shows its attributes. */
  private lookedUp({ parts }: Part): Value | undefined {
    const { program } = this;
    const [callee, base, name, otherwise, ...more] = parts;
    const isCalled = callee?.kind === 'name' && this.nameAt(callee.first) === 'getattr';
    if (!isCalled || program.bound.has('getattr') || more.length > 0 || !base || !name) return undefined;
    if (parts.some(({ kind }) => kind === 'keyword' || kind === 'star')) return undefined;
    const [object, text] = [this.shown(base), this.tokens(name)];
    const quoted = text && this.written(text);
    const attribute = quoted && /^['"]/.test(quoted) ? textOfRepr(quoted) : undefined;
    const isPlain = object !== undefined && classOfObject(this.written(object) ?? '') !== undefined;
    if (!isPlain || attribute === undefined) return undefined;
    const held = attributeNamed(program, object, attribute);
    if (held === undefined && otherwise && isAttribute(program, attribute)) return this.tokens(otherwise);
    return held && isWhole(held) ? held : undefined;
  }

  /** The value of a name, of an attribute or of an item, be it a literal or not, if it is not cut. */
  protected shown(part: Part): Value | undefined {
    if (part.kind === 'attribute') return this.attribute(part);
    const made = this.isComputed(part) ? this.computed?.text : this.made(part);
    if (part.kind !== 'name' && made === undefined) return this.item(part);
    const text = made ?? this.named(part);
    const value = text === undefined ? undefined : encodeValue(this.program, text);
    return value?.includes(special.cut) ? undefined : value;
  }

  /** What an iterator gives whose items are told. */
  protected iterated(part: Part): Value | undefined {
    const items = iterated(this.code, part, (inner) => this.tokens(inner));
    return items && joined(items);
  }

  protected nameOf({ first }: Part): string {
    return nameOfSlot(this.program, this.code[first] as number);
  }

  protected named(part: Part): string | undefined {
    const name = this.nameOf(part);
    const current = this.running.current?.get(name);
    if (current !== undefined) return current;
    const text = this.running.frame.locals.get(name);
    const mayDiffer = this.isStale && (this.program.reboundNames.has(name) || !this.lasts(text ?? ''));
    return mayDiffer ? undefined : text;
  }

  /** Whether what is written so stays as it is whatever is called. */
  private lasts(text: string): boolean {
    return isImmutable(text) || isLastingException(this.program, text);
  }

  protected written(tokens: Value): string | undefined {
    return textOf(this.program, tokens);
  }
}
