/** Engines with defaults filled in, whose errors are ForetraceErrors with the stack of the caller. */
import { asForetraceError, type ErrorDetails, ForetraceError } from '../errors.js';
import type { EngineOptions, NativeAddon, NativeEngine, StepOptions } from './addon-types.js';
import { loadAddon } from './load.js';

/** The one place where options of an engine have defaults. */
export const engineDefaults = {
  device: 'auto',
  isa: 'auto',
  dtype: 'auto',
  threads: 0,
  pages: 0,
  pageTokens: 16,
  maxRows: 512,
  maxSequences: 256,
  hostCacheBytes: 0,
  drafts: 'auto',
} as const satisfies Omit<EngineOptions, 'modelDir' | 'randomWeightsSeed' | 'showProgress'>;

/** Everything but the model directory may be left out. */
export type LoadEngineOptions = Pick<EngineOptions, 'modelDir'> & {
  [Name in keyof Omit<EngineOptions, 'modelDir'>]?: EngineOptions[Name] | undefined;
};

/** Fills in the defaults; an option that is undefined counts as left out. */
export function completeOptions(options: LoadEngineOptions): EngineOptions {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return { ...engineDefaults, ...(Object.fromEntries(given) as unknown as EngineOptions) };
}

/** The coded error for what native code threw, with the stack of `caller`: native code has none of its own. */
function withCallerStack(error: unknown, caller: Error): ForetraceError {
  const coded = asForetraceError(error);
  const { expected, actual } = error as { expected?: unknown; actual?: unknown };
  const details: ErrorDetails = {};
  if (typeof expected === 'string') details.expected = expected;
  if (typeof actual === 'string') details.actual = actual;
  const result = new ForetraceError(coded.code, coded.message, details, { cause: error });
  const frames = caller.stack?.split('\n').slice(1) ?? [];
  result.stack = [`${result.name}: ${result.message}`, ...frames].join('\n');
  return result;
}

type Method = (...values: never[]) => unknown;

/** Calls a synchronous method; what it throws gets the stack of the call. */
function guard<M extends Method>(engine: NativeEngine, method: M): M {
  const guarded = (...values: Parameters<M>): unknown => {
    try {
      return method.apply(engine, values);
    } catch (error) {
      throw withCallerStack(error, new Error());
    }
  };
  return guarded as unknown as M;
}

/** Calls a method that returns a promise; what it rejects with gets the stack of those who await it. */
async function guardAsync<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    throw withCallerStack(error, new Error());
  }
}

/** The same engine with errors as `withCallerStack` makes them; `step` and `dispose` reject and never throw. */
export function wrapEngine(engine: NativeEngine): NativeEngine {
  return {
    info: engine.info,
    attach: guard(engine, engine.attach),
    addGrammar: guard(engine, engine.addGrammar),
    removeGrammar: guard(engine, engine.removeGrammar),
    open: guard(engine, engine.open),
    fork: guard(engine, engine.fork),
    append: guard(engine, engine.append),
    truncate: guard(engine, engine.truncate),
    close: guard(engine, engine.close),
    generate: guard(engine, engine.generate),
    tokens: guard(engine, engine.tokens),
    step: (options: StepOptions) => guardAsync(() => engine.step(options)),
    stepSync: guard(engine, engine.stepSync),
    interrupt: guard(engine, engine.interrupt),
    stats: guard(engine, engine.stats),
    checkInvariants: guard(engine, engine.checkInvariants),
    logits: guard(engine, engine.logits),
    clearCache: guard(engine, engine.clearCache),
    dispose: () => guardAsync(() => engine.dispose()),
  };
}

/** Loads a model and returns its engine. Rejects with ForetraceError: model_not_found, invalid_model, invalid_argument, ... */
export async function loadEngine(
  options: LoadEngineOptions,
  addon: NativeAddon = loadAddon(),
): Promise<NativeEngine> {
  return wrapEngine(await guardAsync(() => addon.loadEngine(completeOptions(options))));
}
