/**
 * Objects that write themselves, as objects are written that do not: `Point(1, 2)` as `<Point object {x: 1, y: 2}>`. What is known of the latter is known of the former then.
 */
import { constructedAttributes } from './constructed.js';
import { attributeName } from './language/attributes.js';
import { isBoundInside } from './language/program-classes.js';
import { readWritten, type Template, templatesOf, type Written, written } from './language/repr-templates.js';
import { attributesIn, withValues } from './language/repr-text.js';
import { cutMark } from './language/values.js';
import { boundedRepr } from './literals.js';
import { lineTokens, type Program } from './program.js';
import type { DebuggerState, Frame } from './state.js';

const unwritten = /^<unrepresentable ([^<>]+)>$/;

/** A state with its objects written so, and how to write them as the program does. */
export interface Opened {
  readonly objects: OpenedObjects;
  readonly state: DebuggerState;
}

/** Texts of one state and of those that follow from it, both ways. */
export class OpenedObjects {
  private readonly templates: ReadonlyMap<string, Template>;
  /** What cannot be read back of objects, by how they are written with their attributes. */
  private readonly computed = new Map<string, readonly string[]>();
  /** Classes of objects that cannot write themselves yet. */
  private readonly areMade = new Set<string>();
  private isAmbiguous = false;
  /** The frames of the state as the program writes its objects, and with their attributes. */
  private begins: { readonly written: readonly Frame[]; readonly opened: readonly Frame[] } = {
    written: [],
    opened: [],
  };

  private constructor(private readonly program: Program) {
    this.templates = templatesOf(program);
  }

  /** undefined where a state has no such object, or a step from it may change what cannot be read back. */
  static in(program: Program, state: DebuggerState): Opened | undefined {
    if (templatesOf(program).size === 0) return undefined;
    const objects = new OpenedObjects(program);
    const opened = objects.opened(state);
    const isSame =
      opened.frames.every((frame, at) => frame === state.frames[at]) && opened.value === state.value;
    objects.begins = { written: state.frames, opened: opened.frames };
    return isSame || objects.isAmbiguous || objects.mayChangeMore(state)
      ? undefined
      : { objects, state: opened };
  }

  /** The state, or one that a step leads to from it, with the attributes of such objects. */
  opened(state: DebuggerState): DebuggerState {
    const frames = state.frames.map((frame) => this.openedFrame(frame));
    return { ...state, frames, ...(state.value !== undefined && { value: this.open(state.value) }) };
  }

  private openedFrame(frame: Frame): Frame {
    const own = constructedAttributes(this.program, frame);
    return mapped(frame, (text, name) => {
      const owner = unwritten.exec(text)?.[1];
      if (owner !== undefined) this.areMade.add(owner);
      const isOwn = own !== undefined && own.owner === owner && own.self === name;
      const object = isOwn ? this.beingMade(own.owner, own.attributes) : undefined;
      return object ?? this.open(text);
    });
  }

  /** An object that cannot write itself yet; undefined where something is not told that it will write. */
  private beingMade(owner: string, all: ReadonlyMap<string, string | undefined>): string | undefined {
    const template = this.templates.get(owner);
    // What cannot be read back is not known of one that has just been made.
    if (template === undefined || template.computedOf.size > 0) return undefined;
    const told = [...all].flatMap(([name, text]) => (text === undefined ? [] : [[name, text] as const]));
    const isTold = [...all].every(([name, text]) => text !== undefined || !template.shown.has(name));
    // What the class has for all of its objects they have, too.
    const isOwn = ![...template.shown].some((name) => isBoundInside(this.program, name));
    return isTold && isOwn ? this.objectOf(owner, new Map(told)) : undefined;
  }

  /** A text with the attributes of all objects in it that write themselves. */
  open(text: string): string {
    return text.includes(cutMark) ? text : withValues(text, (value) => this.openedObject(value));
  }

  private openedObject(text: string): string | undefined {
    const readings = [...this.templates.values()].flatMap((template) => {
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

  /** Whether something that the frame's statement names is made something of that cannot be read back. */
  private mayChangeMore(state: DebuggerState): boolean {
    const computed = new Set([...this.templates.values()].flatMap(({ computedOf }) => [...computedOf]));
    const lines = state.frames.slice(-2).map(({ line }) => line);
    return lines.some((line) =>
      lineTokens(this.program, line).some((token) => computed.has(attributeName(this.program, token))),
    );
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
      mapped(frame, (text, name) => this.unchanged(at, name, text) ?? close(text)),
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

  /** The same of a text. */
  close(text: string): string | undefined {
    let isTold = true;
    const closed = withValues(text, (value) => {
      const owner = /^<([^ ]+) object[ >]/.exec(value)?.[1];
      const template = owner === undefined ? undefined : this.templates.get(owner);
      if (template === undefined) return undefined;
      const found = this.closedObject(template, value);
      isTold &&= found !== undefined;
      return found ?? value;
    });
    return isTold ? boundedRepr(closed) : undefined;
  }

  private closedObject(template: Template, text: string): string | undefined {
    const entries = attributesIn(text);
    if (entries === undefined) return undefined;
    const attributes = new Map<string, string>();
    for (const { key, first, end } of entries) {
      const value = this.close(text.slice(first, end));
      if (value === undefined) return undefined;
      attributes.set(key, value);
    }
    if (![...template.shown].every((name) => attributes.has(name)))
      return `<unrepresentable ${template.owner}>`;
    const object: Written = { attributes, computed: this.onlyComputed(template) };
    return written(template, object);
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
