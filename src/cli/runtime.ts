/** Puts engine, scheduler and model access together: what `serve`, `debug`, `eval` and `info` all need. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configOf, languageOf, type ModelLanguage, namedShape } from '../bench/model-shape.js';
import { languageVersion, vocabularySize } from '../debugger/language/tokens.js';
import { ForetraceError } from '../errors.js';
import type { NativeEngine } from '../native/addon-types.js';
import { loadEngine } from '../native/engine.js';
import { createScheduler, type Scheduler, type SchedulerOptions } from '../scheduler/index.js';
import type { AgentEndpoint } from '../server/agents.js';
import { buildApp, type ServerApp } from '../server/app.js';
import { defaultLimits, type ServiceLimits } from '../server/limits.js';
import { lookAheadFigures, schedulerFigures, trajectoryFigures } from '../server/scheduler-figures.js';
import type { ModelAccess } from '../session/ask-model.js';
import type { Dialect } from '../session/dialect.js';
import { LookAhead } from '../session/look-ahead.js';
import { StateStore } from '../trajectory/index.js';
import { accuracyOf } from './accuracy-file.js';
import { buildDigest } from './build-digest.js';
import { dialectOf } from './dialect.js';
import { type EngineFlags, shippedModel } from './engine-options.js';
import { schedulerOptions, type TuningFlags } from './tuning.js';
import { packageVersion } from './version.js';

export interface Runtime {
  readonly engine: NativeEngine;
  readonly scheduler: Scheduler;
  readonly access: ModelAccess;
  /** Absent where it is switched off. */
  readonly ahead?: LookAhead;
  readonly trajectory: StateStore;
  /** How large passes may be, as measured or given. */
  readonly tuning: SchedulerOptions;
  close(): Promise<void>;
}

/** Most tokens of an answer that names all locals of a frame each time. */
const mostFrameTokens = 1024;
/** Memory for predicted transitions. */
const trajectoryBytes = 128 * 1024 * 1024;

export interface RuntimeOptions {
  readonly maxAnswerTokens?: number;
  /** Also take models of other vocabularies: their sessions are refused, raw token turns are not. */
  readonly raw?: boolean;
  /** Random weights of a named shape in place of a model directory. */
  readonly shape?: string;
  /** How large passes may be, in place of measuring it. */
  readonly tuning?: SchedulerOptions | undefined;
}

/** @throws ForetraceError model_not_found, invalid_model, unsupported_device */
export async function startRuntime(
  flags: EngineFlags & TuningFlags,
  { maxAnswerTokens, raw = false, shape, tuning: given }: RuntimeOptions = {},
): Promise<Runtime> {
  const engine = await loadEngine({
    ...weightsOf(flags, shape),
    device: flags.device,
    isa: flags.isa,
    dtype: flags.dtype,
    threads: flags.threads,
    pages: flags.pages,
    hostCacheBytes: flags.hostCacheBytes,
    showProgress: process.stderr.isTTY === true,
    drafts: flags.drafts ? 'auto' : 'off',
  });
  const { vocabSize } = engine.info;
  let directory: string;
  let language: ModelLanguage;
  let dialect: Dialect | undefined;
  try {
    directory = flags.model ?? shippedModel();
    language = languageOf(directory);
    if (shape === undefined) dialect = dialectOf(flags.dialect ?? 'auto', language, directory, vocabSize);
    if (!raw && dialect === undefined) checkLanguage(vocabSize, language);
  } catch (error) {
    await engine.dispose();
    throw error;
  }
  const tuning = given ?? schedulerOptions(engine, flags);
  const scheduler = createScheduler(engine, tuning);
  const trajectory = new StateStore(trajectoryBytes);
  const { device, isa } = engine.info;
  const access: ModelAccess = {
    ...(dialect ? { dialect } : {}),
    service: scheduler,
    modelDigest: engine.info.modelDigest,
    maxContext: engine.info.maxContext,
    maxAnswerTokens: maxAnswerTokens ?? (dialect ? mostFrameTokens : defaultLimits.maxAnswerTokens),
    trajectory,
    setting: JSON.stringify([buildDigest(), device, isa, flags.dtype]),
    showsWorkings: language.showsWorkings,
    answersTold: true,
    accuracy: accuracyOf(directory),
  };
  // Of such a model the next event is all that can be looked ahead for, and that is what will be asked in any case.
  const ahead = flags.ahead && dialect === undefined ? new LookAhead(access, scheduler) : undefined;
  const close = async (): Promise<void> => {
    ahead?.close();
    await scheduler.close();
    await engine.dispose();
  };
  return ahead
    ? { engine, scheduler, access: { ...access, ahead }, ahead, trajectory, tuning, close }
    : { engine, scheduler, access, trajectory, tuning, close };
}

/** @throws ForetraceError invalid_model for a model of another vocabulary, or trained on another version of the trace language */
function checkLanguage(vocabSize: number, { version }: ModelLanguage): void {
  const refuse = (expected: string, actual: string): never => {
    throw new ForetraceError('invalid_model', 'the model does not speak the trace language', {
      expected,
      actual,
    });
  };
  if (vocabSize !== vocabularySize) refuse(`a vocabulary of ${vocabularySize} tokens`, `${vocabSize} tokens`);
  if (version !== undefined && version !== languageVersion)
    refuse(`version ${languageVersion} of the language`, `version ${version}`);
}

function weightsOf({ model }: EngineFlags, shape: string | undefined) {
  if (shape === undefined) return { modelDir: model ?? shippedModel() };
  const modelDir = mkdtempSync(join(tmpdir(), 'foretrace-shape-'));
  process.once('exit', () => rmSync(modelDir, { recursive: true, force: true }));
  writeFileSync(join(modelDir, 'config.json'), JSON.stringify(configOf(namedShape(shape))));
  return { modelDir, randomWeightsSeed: 1 };
}

export interface ServerFlags {
  readonly apiKeys?: readonly string[];
  readonly limits?: Partial<ServiceLimits>;
  readonly log?: boolean;
  readonly raw?: boolean;
  readonly agents?: AgentEndpoint;
}

/** The service over a runtime, not yet listening. */
export function serverOver(runtime: Runtime, flags: ServerFlags = {}): Promise<ServerApp> {
  // The measurements of the start have filled and emptied the pool.
  const { evictions: before } = runtime.engine.stats();
  return buildApp({
    access: runtime.access,
    info: runtime.engine.info,
    version: packageVersion(),
    pool: () => {
      const stats = runtime.engine.stats();
      return { ...stats, evictions: stats.evictions - before };
    },
    scheduler: () => ({
      ...schedulerFigures(runtime.scheduler.stats()),
      ...(runtime.ahead ? lookAheadFigures(runtime.ahead.stats()) : {}),
    }),
    trajectory: () => trajectoryFigures(runtime.trajectory.stats()),
    ...flags,
  });
}
