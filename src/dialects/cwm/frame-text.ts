/** The text of one frame of Code World Model's format between its delimiting tokens, character by character: which names, which values. Pure. */
import type { EventKind } from '../../debugger/state.js';
import { closed, jsonText, nextPhase, plain, refused } from './json-string.js';

/** A name that the locals of a frame may have. */
export interface FormName {
  readonly name: string;
  /** It cannot be missing. */
  readonly isBound?: boolean;
  /** Texts that its value may have; absent: any. */
  readonly values?: readonly string[];
}

/** One way a frame may be. */
export interface FrameForm {
  readonly event: EventKind;
  /** In this order. */
  readonly names: readonly FormName[];
  /** Texts of the lines it may name. */
  readonly lines: readonly string[];
}

/** Forms that fit what was written so far, each with the first of its names that may come next. */
export type Threads = readonly (readonly [form: number, next: number])[];

/** A place inside a string. */
export type Inside =
  | { readonly kind: 'value'; readonly threads: Threads; readonly phase: number }
  | { readonly kind: 'argument value'; readonly phase: number };

/** A place in the text between two delimiting tokens. */
export type Place =
  | Inside
  | {
      readonly kind: 'open' | 'first' | 'colon' | 'space' | 'quote' | 'after' | 'gap' | 'next' | 'end';
      readonly threads: Threads;
    }
  | { readonly kind: 'name' | 'told'; readonly threads: Threads; readonly prefix: string }
  | { readonly kind: 'argument' | 'done' };

/** Whether frames of this event show locals; the others have a value. */
export const showsLocals = (event: EventKind): boolean => event === 'call' || event === 'line';

/** Behind the quote that ends a string. */
export const behindString = (place: Inside): Place =>
  place.kind === 'value' ? { kind: 'after', threads: place.threads } : { kind: 'done' };

export class FrameText {
  /** As JSON has them. */
  private readonly names: readonly (readonly FormName[])[];

  constructor(forms: readonly FrameForm[]) {
    this.names = forms.map(({ names }) =>
      names.map(({ name, values, ...more }) => ({
        ...more,
        name: jsonText(name),
        ...(values ? { values: values.map(jsonText) } : {}),
      })),
    );
  }

  /** The place behind a character; undefined where it may not stand. */
  behind(place: Place, character: string): Place | undefined {
    switch (place.kind) {
      case 'open':
        return character === '{' ? { ...place, kind: 'first' } : undefined;
      case 'first':
        if (character === '}') return this.end(place.threads);
        return character === '"' ? this.name(place.threads, '') : undefined;
      case 'name':
        return character === '"'
          ? this.named(place.threads, place.prefix)
          : this.name(place.threads, place.prefix + character);
      case 'colon':
        return character === ':' ? { ...place, kind: 'space' } : undefined;
      case 'space':
        return character === ' ' ? { ...place, kind: 'quote' } : undefined;
      case 'quote':
        return character === '"' ? this.value(place.threads) : undefined;
      case 'told':
        // A quote of the value itself stands behind a backslash.
        return (
          this.telling(place.threads, place.prefix + character) ??
          (character === '"' ? this.told(place.threads, place.prefix) : undefined)
        );
      case 'after':
        if (character === '}') return this.end(place.threads);
        return character === ',' && this.name(place.threads, '') ? { ...place, kind: 'gap' } : undefined;
      case 'gap':
        return character === ' ' ? { ...place, kind: 'next' } : undefined;
      case 'next':
        return character === '"' ? this.name(place.threads, '') : undefined;
      case 'argument':
        return character === '"' ? { kind: 'argument value', phase: plain } : undefined;
      case 'value':
      case 'argument value': {
        const phase = nextPhase(place.phase, character);
        if (phase === closed) return behindString(place);
        return phase === refused ? undefined : { ...place, phase };
      }
      default:
        return undefined;
    }
  }

  /** Within a name, if some form has one that begins so and may come next. */
  private name(threads: Threads, prefix: string): Place | undefined {
    const fitting = threads.filter((thread) =>
      this.nextOf(thread).some(({ name }) => name.startsWith(prefix)),
    );
    return fitting.length === 0 ? undefined : { kind: 'name', threads: fitting, prefix };
  }

  /** Names that may come next: none is passed over that cannot be missing. */
  private nextOf([form, next]: Threads[0]): readonly FormName[] {
    const left = this.names[form]?.slice(next) ?? [];
    const bound = left.findIndex(({ isBound }) => isBound);
    return bound < 0 ? left : left.slice(0, bound + 1);
  }

  /** Behind a name. */
  private named(threads: Threads, whole: string): Place | undefined {
    const fitting = threads.flatMap((thread) => {
      const at = this.nextOf(thread).findIndex(({ name }) => name === whole);
      return at < 0 ? [] : [[thread[0], thread[1] + at + 1] as const];
    });
    return fitting.length === 0 ? undefined : { kind: 'colon', threads: fitting };
  }

  /** Behind all locals, if none is left that cannot be missing. */
  private end(threads: Threads): Place | undefined {
    const whole = threads.filter((thread) => !this.nextOf(thread).some(({ isBound }) => isBound));
    return whole.length === 0 ? undefined : { kind: 'end', threads: whole };
  }

  /** Where the value of the last name begins: any, unless all forms say what it is. */
  private value(threads: Threads): Place {
    const isTold = threads.every((thread) => this.valuesOf(thread) !== undefined);
    return isTold ? { kind: 'told', threads, prefix: '' } : { kind: 'value', threads, phase: plain };
  }

  private valuesOf([form, next]: Threads[0]): readonly string[] | undefined {
    return this.names[form]?.[next - 1]?.values;
  }

  /** Within a value that is told. */
  private telling(threads: Threads, prefix: string): Place | undefined {
    const fitting = threads.filter((thread) =>
      this.valuesOf(thread)?.some((value) => value.startsWith(prefix)),
    );
    return fitting.length === 0 ? undefined : { kind: 'told', threads: fitting, prefix };
  }

  /** Behind such a value. */
  private told(threads: Threads, whole: string): Place | undefined {
    const fitting = threads.filter((thread) => this.valuesOf(thread)?.includes(whole));
    return fitting.length === 0 ? undefined : { kind: 'after', threads: fitting };
  }
}
