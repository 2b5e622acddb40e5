/**
 * Deltas from untrusted tokens: a state machine that gives each part as it completes. Malformed input is a value, never an
 * exception (docs/trace-language.md, section 6).
 */
import { lineOfToken, type Program } from '../program.js';
import { beforeEntry, type DebuggerState, depth } from '../state.js';
import type { DecodedDelta, DecodedPart, DecodeProblem } from './decoded.js';
import { baseFrame, type FrameDelta, stateAfter } from './delta-frames.js';
import { expectedIn, opensValue, type Phase } from './delta-phases.js';
import { type KnownAt, type KnownParts, namesAt, nothingKnown, staysAt, valueAt } from './known-parts.js';
import { addition, deepestPatch, mostPatches, type Patch, patched } from './patches.js';
import { charOf, eventOf, isDigitToken, isSlotToken, slotBase, special, tokenText } from './tokens.js';
import { ValueDecoder } from './values.js';

/** Most digits of a counter. */
const longestCounter = 9;

/** Reads one delta, token by token. After the end or a problem further tokens change nothing. */
export class DeltaDecoder {
  private readonly before: DebuggerState;
  private readonly frames: FrameDelta[] = [];
  private pops = 0;
  private phase: Phase = 'start';
  private problem: DecodeProblem | undefined;
  private position = 0;
  private digits = '';
  private slot = -1;
  private reader: ValueDecoder | undefined;
  /** The tokens of the value being read. */
  private spelled: number[] = [];
  /** Patches of the local being read: those that are complete, and the path of the next. */
  private patches: Patch[] = [];
  private path: number[][] = [];
  private operation = special.del;
  /** Sum of log-probabilities of the part being read; `structure` gathers pops and pushes for the event. */
  private logProbability = 0;
  private structure = 0;
  /** Log-probability of what a condition came to: it counts for the line. */
  private outcome = 0;
  private readonly locals = new Map<string, number>();
  private eventProbability = 1;
  private lineProbability = 1;
  private valueProbability: number | undefined;
  private unheeded = 0;

  /**
   * `before`: the state the delta is relative to; null before the entry. `given`: log-probability of what was worked out for the step; it counts for
   * line and values.
   */
  constructor(
    private readonly program: Program,
    before: DebuggerState | null,
    private readonly known: KnownParts = nothingKnown,
    private readonly given = 0,
  ) {
    this.before = before ?? beforeEntry;
  }

  /** Takes a token and its log-probability; returns the parts it completes, in order. */
  push(token: number, logProbability = 0): DecodedPart[] {
    if (this.phase === 'done' || this.problem !== undefined) return [];
    const out: DecodedPart[] = [];
    if (this.reader?.accepts(token)) {
      this.logProbability += logProbability;
      this.reader.take(token);
      this.spelled.push(token);
    } else if (this.reader === undefined || this.closeValue(token, out))
      this.step(token, logProbability, out);
    this.position += 1;
    return out;
  }

  /** Sum of the log-probabilities of tokens that stand where something is told, whatever they say. */
  get passedOver(): number {
    return this.unheeded;
  }

  /** The state after the delta, or what is wrong; tokens that stop before the end are wrong. */
  finish(): DecodedDelta | DecodeProblem {
    if (this.problem !== undefined) return this.problem;
    if (this.phase !== 'done')
      return describe('unfinished_delta', this.position, this.expected(), 'the end of the tokens');
    const after = stateAfter(this.program, this.before, this.pops, this.frames);
    const probability = { event: this.eventProbability, line: this.lineProbability, locals: this.locals };
    return {
      state: after,
      probability:
        this.valueProbability === undefined ? probability : { ...probability, value: this.valueProbability },
      popped: this.pops,
      pushed: Math.max(depth(after) - (depth(this.before) - this.pops), 0),
      changed: [...this.frame().changes.keys()],
    };
  }

  private frame(): FrameDelta {
    return this.frames.at(-1) as FrameDelta;
  }

  private fail(token: number, expected = this.expected()): void {
    this.problem = describe('bad_delta', this.position, expected, tokenText(token));
  }

  private step(token: number, logProbability: number, out: DecodedPart[]): void {
    const { phase } = this;
    if (phase === 'digits' || phase === 'moreDigits') this.counter(token, logProbability, out);
    else if (phase === 'start') this.start(token, logProbability, out);
    else if (phase === 'line') this.line(token, logProbability, out);
    else if (phase === 'local' && token === special.del) {
      this.logProbability += logProbability;
      this.setLocal(undefined, out);
    } else if (phase === 'keyed' || (phase === 'local' && (token === special.it || token === addition)))
      this.patch(token, logProbability, out);
    else if (opensValue.has(phase)) this.openValue(token, logProbability);
    else if (phase === 'patched' && (token === special.it || token === addition))
      this.patch(token, logProbability, out);
    else {
      if (phase === 'patched') this.endPatches(out);
      this.after(token, logProbability, out);
    }
  }

  /** Before a frame: what a condition came to, pops, a push or the event. */
  private start(token: number, logProbability: number, out: DecodedPart[]): void {
    const event = eventOf(token);
    if (this.position === 0 && (token === special.holds || token === special.fails))
      this.outcome = logProbability;
    else if (token === special.pop && this.frames.length === 0) {
      if (this.pops >= depth(this.before)) {
        this.fail(token, `at most ${depth(this.before)} pops`);
        return;
      }
      this.pops += 1;
      this.structure += logProbability;
    } else if (token === special.push || event !== undefined) {
      if (this.frames.length === 0 && this.pops > 0) out.push({ kind: 'popped', count: this.pops });
      this.structure += logProbability;
      this.frames.push({ line: 0, its: [], changes: new Map(), gots: [], event });
      this.slot = -1;
      this.phase = 'line';
      if (event === undefined) return;
      this.eventProbability = Math.exp(this.structure);
      out.push({ kind: 'event', event, probability: this.eventProbability });
    } else this.fail(token);
  }

  private line(token: number, logProbability: number, out: DecodedPart[]): void {
    const line = lineOfToken(this.program, token);
    if (line === undefined) {
      this.fail(token);
      return;
    }
    this.frame().line = line;
    if (this.frame().event === undefined) {
      this.structure += logProbability;
      out.push({ kind: 'pushed', line, probability: Math.exp(logProbability) });
    } else {
      this.lineProbability = Math.exp(this.given + this.outcome + logProbability);
      out.push({ kind: 'line', line, probability: this.lineProbability });
    }
    this.phase = 'head';
  }

  private counter(token: number, logProbability: number, out: DecodedPart[]): void {
    if (isDigitToken(token) && this.digits.length < longestCounter && this.digits !== '0') {
      this.digits += charOf(token);
      this.phase = 'moreDigits';
    } else if (this.phase === 'digits') this.fail(token);
    else {
      this.frame().its.push(Number(this.digits));
      this.phase = 'head';
      this.after(token, logProbability, out);
    }
  }

  /** Between the parts of a frame. */
  private after(token: number, logProbability: number, out: DecodedPart[]): void {
    const { phase } = this;
    const { event } = this.frame();
    const open = phase === 'head' || phase === 'changes';
    const hasValue = event === 'return' || event === 'exception';
    // What stands behind a got could only have been another one.
    const isSure = phase === 'gots' && token !== special.got && this.knowsGots;
    if (isSure) this.unheeded += logProbability;
    this.logProbability = isSure ? 0 : logProbability;
    if (token === special.it && phase === 'head') {
      this.digits = '';
      this.phase = 'digits';
    } else if (open && isSlotToken(token) && token - slotBase < this.program.slotNames.length) {
      if (token - slotBase <= this.slot) {
        this.fail(token, 'slots in ascending order');
        return;
      }
      this.addKnown(token - slotBase, out);
      this.slot = token - slotBase;
      this.phase = 'local';
    } else if (token === special.got && (open || phase === 'gots')) this.phase = 'got';
    else if (token === special.value && hasValue && phase !== 'last') this.phase = 'value';
    else if (token === special.end && event !== undefined && hasValue === (phase === 'last')) {
      this.addKnown(this.program.slotNames.length, out);
      this.phase = 'done';
      out.push({ kind: 'end' });
    } else if (event === undefined && (token === special.push || eventOf(token) !== undefined)) {
      this.phase = 'start';
      this.start(token, this.logProbability, out);
    } else this.fail(token);
  }

  /** The next item of a patch's path, or what is done with the last. */
  private patch(token: number, logProbability: number, out: DecodedPart[]): void {
    this.logProbability += logProbability;
    if (token === special.it && this.path.length < deepestPatch) this.phase = 'key';
    else if (token === special.del) this.addPatch(special.del, [], out);
    else if (token === special.value || token === addition) {
      this.operation = token;
      this.phase = 'operand';
    } else this.fail(token);
  }

  private addPatch(operation: number, operand: number[], out: DecodedPart[]): void {
    this.patches.push({ path: this.path, operation, operand });
    this.path = [];
    this.phase = 'patched';
    if (this.patches.length === mostPatches) this.endPatches(out);
  }

  private endPatches(out: DecodedPart[]): void {
    const name = this.program.slotNames[this.slot] ?? '';
    const before = this.valueBefore(name);
    const after = patched(this.program, before, this.patches);
    this.patches = [];
    this.phase = 'changes';
    // What a patch makes of a name does not matter where its value is known, be it nothing.
    const isKnown = namesAt(this.known, this.at()).has(name);
    if (isKnown || (after !== undefined && after !== before)) this.setLocal(after, out);
  }

  private openValue(token: number, logProbability: number): void {
    const reader = new ValueDecoder(this.program);
    if (!reader.accepts(token)) {
      this.fail(token);
      return;
    }
    reader.take(token);
    this.logProbability += logProbability;
    this.reader = reader;
    this.spelled = [token];
  }

  /** Ends the value before `token`; false if it may not end there. */
  private closeValue(token: number, out: DecodedPart[]): boolean {
    const reader = this.reader as ValueDecoder;
    const missing = reader.missing();
    if (missing !== undefined) {
      this.fail(token, missing);
      return false;
    }
    this.reader = undefined;
    const text = reader.text();
    if (this.phase === 'local') this.setLocal(text, out);
    else if (this.phase === 'key') {
      this.path.push(this.spelled);
      this.phase = 'keyed';
    } else if (this.phase === 'operand') this.addPatch(this.operation, this.spelled, out);
    else if (this.phase === 'got') {
      if (this.knowsGots) this.unheeded += this.logProbability;
      this.frame().gots.push(text);
      this.phase = 'gots';
    } else {
      const known = valueAt(this.known, this.at(), baseFrame(this.before, this.pops)?.line);
      const value = known ?? text;
      if (known !== undefined) this.unheeded += this.logProbability;
      this.valueProbability = Math.exp(this.given + (known === undefined ? this.logProbability : 0));
      this.frame().value = value;
      out.push({ kind: 'value', value, probability: this.valueProbability });
      this.phase = 'last';
    }
    return true;
  }

  /** What a name of the frame being read stood for. */
  private valueBefore(name: string): string | undefined {
    return this.frames.length === 1 ? baseFrame(this.before, this.pops)?.locals.get(name) : undefined;
  }

  private get knowsGots(): boolean {
    return this.frames.length === 1 && this.known.tellsGots === true;
  }

  /** The frame being read, as far as what is known of it depends on it. */
  private at(): KnownAt {
    const { event, line } = this.frame();
    return { number: this.frames.length, event, line };
  }

  /** Adds the known names between the last slot and `next` that change. */
  private addKnown(next: number, out: DecodedPart[]): void {
    for (const [name, value] of this.program.sortLocals(namesAt(this.known, this.at()))) {
      const slot = (this.program.slots.get(name) ?? -1) - slotBase;
      if (slot > this.slot && slot < next) this.addChange(name, value, Math.exp(this.given), out);
    }
  }

  private setLocal(value: string | undefined, out: DecodedPart[]): void {
    const name = this.program.slotNames[this.slot] ?? '';
    this.phase = 'changes';
    const known = namesAt(this.known, this.at());
    const stays = staysAt(this.known, this.at(), name);
    if (stays || known.has(name)) this.unheeded += this.logProbability;
    if (stays) return;
    if (known.has(name)) this.addChange(name, known.get(name), Math.exp(this.given), out);
    else this.addLocal(name, value, Math.exp(this.given + this.logProbability), out);
  }

  /** Adds a local unless it is what it was. */
  private addChange(name: string, value: string | undefined, probability: number, out: DecodedPart[]): void {
    const before = this.valueBefore(name);
    if (value !== before) this.addLocal(name, value, probability, out);
  }

  private addLocal(name: string, value: string | undefined, probability: number, out: DecodedPart[]): void {
    this.frame().changes.set(name, value);
    if (this.frame().event !== undefined) this.locals.set(name, probability);
    out.push({ kind: 'local', name, value: value ?? '', deleted: value === undefined, probability });
  }

  /** What may stand next, in words. */
  private expected(): string {
    if (this.reader !== undefined) return this.reader.missing() ?? 'a value token or the end of the value';
    return expectedIn(this.phase, this.frames.length, this.frames.at(-1)?.event);
  }
}

const describe = (
  code: DecodeProblem['code'],
  position: number,
  expected: string,
  actual: string,
): DecodeProblem => ({
  code,
  position,
  expected,
  actual,
  message: `token ${position}: expected ${expected}, got ${actual}`,
});
