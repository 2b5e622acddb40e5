/**
 * Raw token turns: named lists of tokens from which the model goes on greedily, without a grammar. They let one drive the engine and the scheduler
 * with the workload of any other serving engine. Nothing is stored but the lists; the keys and values they begin with are shared as all prefixes are.
 */
import { LRUCache } from 'lru-cache';
import { ForetraceError } from '../errors.js';
import { type GenerationService, greedy } from '../scheduler/request.js';
import { priorityFromWire } from '../wire/convert.js';
import type { ClientBodies, ServerBodies, WireRawAnswer } from '../wire/messages.js';
import type { ServiceLimits } from './limits.js';

export interface RawAccess {
  readonly service: GenerationService;
  readonly maxContext: number;
  readonly vocabSize: number;
}

export interface RawCaller {
  readonly client: string;
  /** True if contexts of other clients must stay invisible. */
  readonly isolated: boolean;
  readonly signal?: AbortSignal;
  readonly onTokens?: (tokens: Int32Array) => void;
}

interface Context {
  readonly tokens: Int32Array;
  /** A turn that will change the context is running. */
  isBusy: boolean;
}

const longestName = 256;

export class RawDoor {
  private readonly contexts: LRUCache<string, Context>;

  constructor(
    private readonly access: RawAccess,
    private readonly limits: Pick<ServiceLimits, 'maxRawContexts' | 'maxRawTokens' | 'maxRawGenerate'>,
  ) {
    this.contexts = new LRUCache({
      max: limits.maxRawContexts,
      maxSize: limits.maxRawTokens,
      sizeCalculation: ({ tokens }) => Math.max(1, tokens.length),
    });
  }

  get vocabSize(): number {
    return this.access.vocabSize;
  }

  /**
   * Names a list of tokens; an older one of that name is replaced.
   * @throws ForetraceError invalid_message, unknown_session for a `from` that is not there, context_too_long
   */
  open({ context, from, tokens }: ClientBodies['rawOpen'], caller: RawCaller): ServerBodies['rawContext'] {
    if (context.length === 0 || context.length > longestName) {
      throw wrong(
        'the name of the context',
        `1 to ${longestName} characters`,
        `${context.length} characters`,
      );
    }
    const before = from === '' ? noTokens : this.find(from, caller).tokens;
    const all = this.joined(before, tokens, 0);
    this.contexts.set(nameOf(context, caller), { tokens: all, isBusy: false });
    return { context, length: all.length };
  }

  /** @throws ForetraceError invalid_message, unknown_session, busy, context_too_long, and what the scheduler throws */
  async turn(
    { context: name, tokens, generate, keep, priority }: ClientBodies['rawTurn'],
    caller: RawCaller,
  ): Promise<WireRawAnswer> {
    const context = this.find(name, caller);
    const { maxRawGenerate } = this.limits;
    if (generate < 1 || generate > maxRawGenerate) {
      throw wrong('generate', `1 to ${maxRawGenerate} tokens`, String(generate));
    }
    if (keep && context.isBusy) {
      throw new ForetraceError('busy', 'a turn that changes the context is still running', {
        expected: 'one such turn at a time',
      });
    }
    const prompt = this.joined(context.tokens, tokens, generate);
    const request = {
      client: caller.client,
      priority: priorityFromWire(priority),
      prompt,
      sharedTokens: context.tokens.length,
      sampling: greedy,
      maxNewTokens: generate,
      stopToken: -1,
      ...(caller.signal ? { signal: caller.signal } : {}),
      onTokens: (run: { readonly tokens: Int32Array }) => caller.onTokens?.(run.tokens),
    };
    if (keep) context.isBusy = true;
    try {
      const {
        tokens: generated,
        counts,
        queueMillis,
        computeMillis,
        preemptions,
      } = await this.access.service.submit(request);
      if (keep) this.extend(nameOf(name, caller), context, [prompt, generated]);
      const length = keep ? prompt.length + generated.length : context.tokens.length;
      const cost = { counts: { ...counts }, queueMillis, computeMillis, preemptions };
      return { context: name, tokens: Array.from(generated), length, ...cost };
    } finally {
      if (keep) context.isBusy = false;
    }
  }

  /** A context that was opened anew meanwhile stays as it is. */
  private extend(name: string, context: Context, parts: readonly Int32Array[]): void {
    if (this.contexts.peek(name) === context)
      this.contexts.set(name, { tokens: concat(parts), isBusy: false });
  }

  private find(name: string, caller: RawCaller): Context {
    const context = this.contexts.get(nameOf(name, caller));
    if (context) return context;
    throw new ForetraceError('unknown_session', `there is no raw context ${JSON.stringify(name)}`, {
      expected: 'a context that was opened and not pushed out by others',
      actual: name,
    });
  }

  /** @throws ForetraceError invalid_message for a token that the model does not have, context_too_long */
  private joined(before: Int32Array, tokens: readonly number[], generate: number): Int32Array {
    const { vocabSize, maxContext } = this.access;
    const length = before.length + tokens.length + generate;
    if (length > maxContext || before.length + tokens.length === 0) {
      throw new ForetraceError('context_too_long', 'the context does not fit into the model, or is empty', {
        expected: `1 to ${maxContext} tokens`,
        actual: `${length} tokens`,
      });
    }
    const foreign = tokens.find((token) => token >= vocabSize);
    if (foreign !== undefined) throw wrong('a token', `0 to ${vocabSize - 1}`, String(foreign));
    return concat([before, Int32Array.from(tokens)]);
  }
}

const noTokens = new Int32Array(0);

/** Clients that must not see each other have contexts of their own. */
const nameOf = (name: string, { client, isolated }: RawCaller): string =>
  isolated ? `${client}\0${name}` : `\0${name}`;

function concat(parts: readonly Int32Array[]): Int32Array {
  const whole = new Int32Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

const wrong = (what: string, expected: string, actual: string): ForetraceError =>
  new ForetraceError('invalid_message', `${what} is out of range`, { expected, actual });
