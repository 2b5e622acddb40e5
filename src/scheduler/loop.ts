/** The only place with effects over time: plan, step, apply, emit, as long as there is work. */
import { asForetraceError, ForetraceError } from '../errors.js';
import { deliver } from './answers.js';
import { apply, type StepResponse, type Update } from './apply.js';
import type { Core } from './core.js';
import type { Job } from './job.js';
import { plan } from './plan.js';
import { chooseVictim } from './policy.js';
import type { Rings } from './rings.js';
import type { StepPlan } from './work.js';

/** Runs until nothing waits and nothing runs. */
export async function runLoop(core: Core, rings: Rings): Promise<void> {
  const { now } = core.options;
  let began = now();
  while (core.hasWork) {
    const started = began;
    const queues = core.queues();
    const next = plan(queues, core.options, core.memory());
    core.options.onPlan?.(queues, next);
    const answered = core.metrics.endings.model;
    const { jobs, maxIterations } = prepare(core, rings, next);
    core.metrics.javascriptMicros += (now() - began) * 1000;
    const response = jobs.length > 0 ? await stepEngine(core, rings, { ...next, maxIterations }, jobs) : null;
    began = now();
    if (response !== null) emit(core, jobs, applyOrFail(core, jobs, response), response.iterations, began);
    core.closeEnded();
    if (!core.isIdle || core.metrics.endings.model > answered)
      core.drain.observe(core.metrics.endings.model - answered, began - started);
    core.options.afterStep?.(core.engine);
    core.noteIdle();
  }
}

/** The jobs of the blocks in the request ring, and how many passes the engine may make of them. */
interface Prepared {
  readonly jobs: Job[];
  readonly maxIterations: number;
}

/** Carries out the plan up to the step: pages back, sequences opened, blocks written to the request ring. */
function prepare(core: Core, rings: Rings, next: StepPlan): Prepared {
  core.step += 1;
  core.fairness = next.fairness;
  const waited = core.waiting.length;
  const byId = new Map<number, Job>();
  for (const job of core.running) byId.set(job.id, job);
  for (const id of next.preempt) core.preempt(byId.get(id) as Job);
  if (next.admit.length > 0) {
    for (const job of core.waiting) byId.set(job.id, job);
    for (const id of next.admit) admit(core, byId.get(id) as Job);
  }
  const jobs: Job[] = [];
  let { maxIterations } = next;
  rings.begin();
  for (const block of next.blocks) {
    const job = byId.get(block.id) as Job;
    if (job.state !== 'running') continue;
    job.lastStep = core.step;
    rings.write(job.sequence, Math.min(block.rows, job.pendingTokens), job.pendingTokens);
    // More is left of the prompt than was granted: the rest is for the next plan.
    if (block.rows < job.pendingTokens) maxIterations = 1;
    jobs.push(job);
  }
  const nothingChanged = next.preempt.length === 0 && core.waiting.length === waited;
  if (jobs.length === 0 && core.running.length === 0 && nothingChanged) rejectStuck(core);
  return { jobs, maxIterations };
}

/** Opens a waiting job. Without pages it goes on waiting; any other error is its answer. */
function admit(core: Core, job: Job): void {
  if (job.state !== 'waiting' || core.sequences.prefixes.isComputing(job.prefixKey)) return;
  try {
    core.sequences.open(job);
  } catch (error) {
    const coded = asForetraceError(error);
    if (coded.code !== 'out_of_pages') core.fail(job, coded);
    return;
  }
  core.dequeue(job);
  core.running.push(job);
  job.noteOpened(core.options.now());
}

/** Nothing runs and nothing could be opened: waiting longer cannot help the first in line. */
function rejectStuck(core: Core): void {
  const job = core.waiting[0];
  if (job === undefined) return;
  core.fail(
    job,
    new ForetraceError('out_of_pages', 'The request does not fit into the KV pool', {
      expected: `${job.pages} pages`,
      actual: `${core.memory().availablePages} available`,
    }),
  );
}

/** One engine call. An engine that fails answers every job of the call with its error, and no other. */
async function stepEngine(
  core: Core,
  rings: Rings,
  { blocks, maxIterations }: StepPlan,
  jobs: Job[],
): Promise<(StepResponse & { readonly iterations: number }) | null> {
  const { engine, metrics, options } = core;
  const watched = jobs.some((job) =>
    job.listeners.some((listener) => listener.request.onTokens !== undefined),
  );
  const { inPlace } = core;
  const isInPlace = inPlace.suits(blocks, core.isIdle);
  core.interruptible = maxIterations > 1;
  core.stepping = true;
  try {
    if (isInPlace) await inPlace.turn(options.now());
    const call = {
      words: rings.words,
      maxIterations,
      deadlineMicros: isInPlace ? inPlace.deadlineMicros : watched ? options.streamMicros : 0,
      returnOnFinish: true,
    };
    const summary = isInPlace ? engine.stepSync(call) : await engine.step(call);
    inPlace.observe(summary);
    metrics.steps += 1;
    metrics.iterations += summary.iterations;
    metrics.rows += summary.rows;
    metrics.engineMicros += summary.computeMicros;
    metrics.rowsPerStep.observe(summary.rows);
    metrics.stepMicros.observe(summary.computeMicros);
    return { ...rings.responseOf(summary.words, summary.failure), iterations: summary.iterations };
  } catch (error) {
    core.stepping = false;
    failStep(core, jobs, asForetraceError(error));
    return null;
  } finally {
    core.stepping = false;
  }
}

function failStep(core: Core, jobs: readonly Job[], error: ForetraceError): void {
  core.metrics.engineFailures += 1;
  core.closeEnded();
  for (const job of jobs) if (job.state === 'running') core.fail(job, error);
  if (error.code === 'engine_closed') {
    core.closed = true;
    core.failAll(error);
  }
}

function applyOrFail(core: Core, jobs: readonly Job[], response: StepResponse): Update[] {
  try {
    return apply(jobs, response);
  } catch (error) {
    failStep(core, jobs, asForetraceError(error));
    return [];
  }
}

/** Carries out the updates: tokens to listeners, answers, errors; a job that ended meanwhile is only closed. */
function emit(
  core: Core,
  jobs: readonly Job[],
  updates: readonly Update[],
  iterations: number,
  now: number,
): void {
  core.closeEnded();
  let starving: Job | undefined;
  updates.forEach((update, index) => {
    const job = jobs[index] as Job;
    if (job.state !== 'running') return;
    const costRows = iterations * core.options.fixedRows + update.computed;
    job.costRows += costRows;
    if (job.priority === 'interactive') core.recent.serve(job.account, costRows, now);
    core.sequences.noteComputed(job, Math.min(update.computed, job.pendingTokens));
    take(core, job, update);
    if (job.state === 'running' && update.outcome === 'outOfPages') starving = job;
  });
  const freed = jobs.some((job) => job.state === 'done');
  if (starving !== undefined && !freed) relieve(core, starving);
}

function take(core: Core, job: Job, update: Update): void {
  job.generatingRows = update.generatingRows;
  job.draftedTokens += update.drafted;
  job.acceptedTokens += update.accepted;
  core.metrics.draftedTokens += update.drafted;
  core.metrics.acceptedTokens += update.accepted;
  if (update.replayed > 0) job.replay = job.replay.subarray(update.replayed);
  if (update.run !== null) {
    job.generated.push(update.run);
    core.metrics.generatedTokens += update.run.tokens.length;
    for (const forced of update.run.forced) core.metrics.forcedTokens += forced;
    deliver(job, update.run, core.metrics);
    if (job.state === 'running' && job.listeners.length === 0) core.abandon(job);
    if (job.state !== 'running') return;
  }
  if (update.outcome === 'finished' || update.outcome === 'length') core.finish(job, update.outcome);
  if (update.outcome === 'failed') {
    const actual = update.problem === null ? {} : { actual: update.problem };
    core.fail(job, new ForetraceError('internal', 'The engine could not compute this sequence', actual));
  }
}

/**
 * A sequence ran out of pages in the middle of a step in which no other ended (their pages would do): the least urgent one gives way, or the
 * sequence fails if it is alone.
 */
function relieve(core: Core, starving: Job): void {
  const victim = core.running.length > 1 ? chooseVictim(core.running) : undefined;
  if (victim !== undefined) core.preempt(victim);
  else
    core.fail(starving, new ForetraceError('out_of_pages', 'The KV pool has no page left for this sequence'));
}
