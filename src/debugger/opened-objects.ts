/**
 * Objects that write themselves, as objects are written that do not: `Point(1, 2)` as `<Point object {x: 1, y: 2}>`. What is known of the latter is known of the former then.
 */
import { constructedAttributes } from './constructed.js';
import { attributeName } from './language/attributes.js';
import { lineParts } from './language/line-parts.js';
import { readWritten, type Template, templatesOf, written } from './language/repr-templates.js';
import { attributesIn, unwrittenOwner, unwrittenText, withValues } from './language/repr-text.js';
import { assignedIn } from './language/target-order.js';
import { charToken } from './language/tokens.js';
import { cutMark } from './language/values.js';
import { boundedRepr } from './literals.js';
import { readsOnly, writersOf, writtenBy } from './object-text.js';
import { lineTokens, nameOfSlot, type Program, type Scope } from './program.js';
import { runningFrame } from './running.js';
import type { DebuggerState, Frame } from './state.js';
import { statementTokens } from './whole-statement.js';

const dot = charToken('.');

/** A state with its objects written so, and how to write them as the program does. */
export interface Opened {
  readonly objects: OpenedObjects;
  readonly state: DebuggerState;
}

/** The names that the statement may bind which a frame goes on with. */
function boundNext(program: Program, state: DebuggerState): ReadonlySet<string> {
  const running = runningFrame(program, state);
  const binds = running?.scope.flow?.lines.get(running.frame.line)?.effects.binds ?? new Set();
  const code = running ? statementTokens(program, running) : [];
  const targets = lineParts(code)?.targets.flatMap(assignedIn) ?? [];
  if (targets.length === 0) return binds;
  // Of `x.y = z` no name stands for anything else.
  const names = targets.flatMap(({ kind, first }) =>
    kind === 'name' ? [nameOfSlot(program, code[first] as number)] : [],
  );
  return new Set(names);
}

/** The classes of the objects in a state that cannot write themselves yet. */
const unwrittenIn = ({ frames }: DebuggerState): ReadonlySet<string> =>
  new Set(frames.flatMap(({ locals }) => [...locals.values()].flatMap((text) => unwrittenOwner(text) ?? [])));

/** Texts of one state and of those that follow from it, both ways. */
export class OpenedObjects {
  private readonly templates: ReadonlyMap<string, Template>;
  private readonly writers: ReadonlyMap<string, Scope>;
  /** What cannot be read back of objects, by how they are written with their attributes. */
  private readonly computed = new Map<string, readonly string[]>();
  private isAmbiguous = false;
  /** The frames of the state as the program writes its objects, and with their attributes. */
  private begins: { readonly written: readonly Frame[]; readonly opened: readonly Frame[] } = {
    written: [],
    opened: [],
  };

  /** Names that the step may bind. */
  private bound: ReadonlySet<string> = new Set();

  private constructor(
    private readonly program: Program,
    /** Classes of objects that cannot write themselves yet. */
    private readonly areMade: ReadonlySet<string>,
  ) {
    this.templates = templatesOf(program);
    this.writers = writersOf(program);
  }

  /** undefined where a state has no such object, or a step from it may change what cannot be read back. */
  static in(program: Program, state: DebuggerState): Opened | undefined {
    if (writersOf(program).size === 0) return undefined;
    const objects = new OpenedObjects(program, unwrittenIn(state));
    const opened = objects.opened(state);
    const isSame =
      opened.frames.every((frame, at) => frame === state.frames[at]) && opened.value === state.value;
    if (isSame || objects.isAmbiguous || objects.mayChangeMore(state)) return undefined;
    objects.begins = { written: state.frames, opened: opened.frames };
    objects.bound = boundNext(program, state);
    return { objects, state: opened };
  }

  /** The state, or one that a step leads to from it, with the attributes of such objects. */
  opened(state: DebuggerState): DebuggerState {
    const frames = state.frames.map((frame) => this.openedFrame(frame));
    return { ...state, frames, ...(state.value !== undefined && { value: this.open(state.value) }) };
  }

  private openedFrame(frame: Frame): Frame {
    const own = constructedAttributes(this.program, frame);
    return mapped(frame, (text, name) => {
      const owner = unwrittenOwner(text);
      const isOwn = own !== undefined && own.owner === owner && own.self === name;
      const object = isOwn ? this.beingMade(own.owner, own.attributes) : undefined;
      return object ?? this.open(text);
    });
  }

  /** An object that cannot write itself yet; undefined where something is not told that it will write. */
  private beingMade(owner: string, all: ReadonlyMap<string, string | undefined>): string | undefined {
    const method = this.writers.get(owner);
    const reads = method && readsOnly(this.program, method);
    if (reads === undefined || ![...all].every(([name, text]) => text !== undefined || !reads.has(name)))
      return undefined;
    const told = [...all].flatMap(([name, text]) => (text === undefined ? [] : [[name, text] as const]));
    return this.objectOf(owner, new Map(told));
  }

  /** A text with the attributes of all objects in it that write themselves. */
  open(text: string): string {
    return text.includes(cutMark) ? text : withValues(text, (value) => this.openedObject(value));
  }

  private openedObject(text: string): string | undefined {
    const readings = [...this.templates.values()].flatMap((template) => {
      // Beside one of which all is known, what others have that is not written would be taken for missing.
      if (template.computedOf.size > 0 && this.areMade.has(template.owner)) return [];
      const found = readWritten(template, text);
      return found ? [{ template, found }] : [];
    });
    const [only, ...others] = readings;
    if (only === undefined || others.length > 0) return undefined;
    const opened = this.objectOf(only.template.owner, only.found.attributes);
    const before = this.computed.get(opened);
    this.isAmbiguous ||= before !== undefined && before.join('\0') !== only.found.computed.join('\0');
    this.computed.set(opened, only.found.computed);
    return opened;
  }

  private objectOf(owner: string, attributes: ReadonlyMap<string, string>): string {
    const all = [...attributes].map(([name, value]) => `${name}: ${this.open(value)}`).join(', ');
    return all === '' ? `<${owner} object>` : `<${owner} object {${all}}>`;
  }

  /** Whether the frame's statement names an attribute of which something is made that cannot be read back, but those of an object in the making. */
  private mayChangeMore(state: DebuggerState): boolean {
    const computed = new Set([...this.templates.values()].flatMap(({ computedOf }) => [...computedOf]));
    return state.frames.slice(-2).some(({ line, locals }) => {
      const code = lineTokens(this.program, line);
      const nameAt = (at: number): string => attributeName(this.program, code[at] ?? -1);
      const isMade = (name: string): boolean => unwrittenOwner(locals.get(name) ?? '') !== undefined;
      return [...code].some(
        (_, at) => code[at - 1] === dot && computed.has(nameAt(at)) && !isMade(nameAt(at - 2)),
      );
    });
  }

  /** A state as the program writes its objects; undefined where that is not told of one. */
  closed(state: DebuggerState): DebuggerState | undefined {
    let isTold = true;
    const close = (text: string): string => {
      const found = this.close(text);
      isTold &&= found !== undefined;
      return found ?? text;
    };
    const frames = state.frames.map((frame, at) =>
      mapped(frame, (text, name) => {
        const old = this.unchanged(at, name, text);
        // It may stand for another one, which differs in what is not read back.
        if (old !== undefined && this.bound.has(name as string) && this.isComputed(text)) isTold = false;
        return old ?? close(text);
      }),
    );
    const value = state.value === undefined ? {} : { value: close(state.value) };
    return isTold ? { ...state, frames, ...value } : undefined;
  }

  /** What a name of a frame is written as that stands for what it did. */
  private unchanged(at: number, name: string | undefined, text: string): string | undefined {
    const { written, opened } = this.begins;
    if (name === undefined || opened[at]?.locals.get(name) !== text) return undefined;
    return written[at]?.locals.get(name);
  }

  /** Whether an object in a text writes something that cannot be read back. */
  private isComputed(text: string): boolean {
    return [...this.templates.values()].some(
      ({ owner, computedOf }) => computedOf.size > 0 && text.includes(`<${owner} object`),
    );
  }

  /** The same of a text. */
  close(text: string): string | undefined {
    let isTold = true;
    // What is cut would have been shown whole.
    if (text.includes(cutMark) && [...this.writers.keys()].some((owner) => text.includes(`<${owner} object`)))
      return undefined;
    const closed = withValues(text, (value) => {
      const owner = /^<([^ ]+) object[ >]/.exec(value)?.[1];
      if (owner === undefined || !this.writers.has(owner)) return undefined;
      const found = this.closedObject(owner, value);
      isTold &&= found !== undefined;
      return found ?? value;
    });
    return isTold ? boundedRepr(closed) : undefined;
  }

  private closedObject(owner: string, text: string): string | undefined {
    const entries = attributesIn(text);
    if (entries === undefined) return undefined;
    const attributes = new Map<string, string>();
    for (const { key, first, end } of entries) {
      const value = this.close(text.slice(first, end));
      if (value === undefined) return undefined;
      attributes.set(key, value);
    }
    const template = this.templates.get(owner);
    if (template && !this.areMade.has(owner)) return this.byTemplate(template, attributes);
    const method = this.writers.get(owner) as Scope;
    const found = writtenBy(this.program, method, owner, text, new Set(attributes.keys()));
    if (found === null) return unwrittenText(owner);
    return found ?? (template && this.byTemplate(template, attributes));
  }

  private byTemplate(template: Template, attributes: ReadonlyMap<string, string>): string | undefined {
    if (![...template.shown].every((name) => attributes.has(name))) return unwrittenText(template.owner);
    return written(template, { attributes, computed: this.onlyComputed(template) });
  }

  /** What cannot be read back of an object, where that is the same of all of its class, and none is being made. */
  private onlyComputed({ owner }: Template): readonly string[] {
    const found = [...this.computed].filter(([text]) => text.startsWith(`<${owner} object`));
    const [only, ...others] = new Map(found.map(([, computed]) => [computed.join('\0'), computed])).values();
    return only === undefined || others.length > 0 || this.areMade.has(owner) ? [] : only;
  }
}

/** A frame with other texts in place of its values; itself where all are the same. */
function mapped(frame: Frame, map: (text: string, name?: string) => string): Frame {
  const locals = new Map([...frame.locals].map(([name, text]) => [name, map(text, name)]));
  const gots = frame.gots.map((text) => map(text));
  const inFlight = frame.inFlight && { ...frame.inFlight, value: map(frame.inFlight.value) };
  const isSame =
    [...locals].every(([name, text]) => frame.locals.get(name) === text) &&
    gots.every((text, at) => text === frame.gots[at]) &&
    inFlight?.value === frame.inFlight?.value;
  return isSame ? frame : { ...frame, locals, gots, ...(inFlight && { inFlight }) };
}
