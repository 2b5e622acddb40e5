/**
 * A scheduler over the fake engine in virtual time, driven by random events: arrivals, cancellations, disconnects, deadlines, overload, passes of the engine
 * and its failures. After every event the invariants are checked; every answer is compared with that of a fresh engine that nobody else uses.
 */
import { ForetraceError } from '../../src/errors.js';
import type { Core } from '../../src/scheduler/core.js';
import { type ResolvedOptions, resolveOptions } from '../../src/scheduler/options.js';
import type { GeneratedTokens, GenerationRequest, GenerationResult } from '../../src/scheduler/request.js';
import { createScheduler, type Scheduler } from '../../src/scheduler/scheduler.js';
import { FakeEngine } from './fake-engine.js';
import type { FakeDrafts } from './fake-sequence.js';
import { answerAlone, constraint, programTokens, type Random, turn, vocabSize } from './scheduler-world.js';
import { StarvationWatch } from './starvation-watch.js';
import { VirtualClock } from './virtual-clock.js';

interface Asked {
  readonly request: GenerationRequest;
  readonly controller: AbortController;
  readonly deadline: number;
  readonly received: number[];
  isCancelled: boolean;
}

/** What happened, over all worlds. */
export const freshTally = () => ({
  events: 0,
  submitted: 0,
  ahead: 0,
  aheadGaveWay: 0,
  aheadJoined: 0,
  model: 0,
  cache: 0,
  joined: 0,
  cancelled: 0,
  expired: 0,
  overloaded: 0,
  failed: 0,
  drafted: 0,
  accepted: 0,
  preemptions: 0,
  engineFailures: 0,
  steps: 0,
  overdue: 0,
  mostWaitedSteps: 0,
  mostUnservedSteps: 0,
});
export type Tally = ReturnType<typeof freshTally>;

const textOf = ({ tokens, logProbabilities, forced }: GeneratedTokens): string =>
  `${tokens.join()}|${logProbabilities.join()}|${forced.join()}`;

const expectedAnswers = new Map<string, { text: string; tokens: string }>();

function expectedAnswer(request: GenerationRequest): { text: string; tokens: string } {
  const { prompt, constraint: rule, sampling, maxNewTokens } = request;
  const key = `${prompt.join()}|${rule?.key}|${sampling.seed}|${maxNewTokens}`;
  let answer = expectedAnswers.get(key);
  if (answer === undefined) {
    const alone = answerAlone(request);
    answer = { text: textOf(alone), tokens: alone.tokens.join() };
    expectedAnswers.set(key, answer);
  }
  return answer;
}

const pageTokens = 4;
const clientCount = 5;
const maxKnownTokens = 23 + 16;

export class EventWorld {
  readonly engine: FakeEngine;
  readonly scheduler: Scheduler;
  readonly watch: StarvationWatch;
  private readonly clock = new VirtualClock();
  private readonly open = new Set<Asked>();
  private readonly recent: Asked[] = [];
  private readonly options: ResolvedOptions;
  private release: (() => void) | null = null;
  private injected = 0;
  private problem: Error | null = null;
  /** How likely an event is an arrival: loads differ, also within one world. */
  private load = 0.3;

  constructor(
    private readonly random: Random,
    private readonly tally: Tally,
  ) {
    this.options = this.drawOptions();
    const pages = 16 + random.below(40);
    this.engine = new FakeEngine({
      vocabSize,
      pages,
      pageTokens,
      maxRows: 256,
      pause: () => new Promise((resolve) => (this.release = resolve)),
      drafts: this.drawDrafts(),
      failures: this.drawFailures(),
    });
    this.watch = new StarvationWatch(this.options, pages, maxKnownTokens);
    this.scheduler = createScheduler(this.engine, {
      ...this.options,
      onPlan: (queues, plan) => {
        try {
          this.watch.onPlan(queues, plan);
        } catch (error) {
          this.problem ??= error as Error;
        }
      },
    });
  }

  /** One random event and all that follows from it at once; then everything must hold. */
  async event(): Promise<void> {
    const { random } = this;
    this.tally.events += 1;
    if (random.chance(0.002)) this.load = random.chance(0.4) ? 0.04 : 0.05 + 0.5 * random.next();
    const draw = random.next();
    if (draw < this.load) this.submit();
    else if (draw < this.load + 0.03) this.cancelOne();
    else if (draw < this.load + 0.032) this.disconnect(random.below(clientCount));
    else if (draw < this.load + 0.08) this.submitAhead();
    else if (draw < this.load + 0.12) this.clock.advance(random.below(40));
    else this.pass();
    await turn();
    this.check();
  }

  /** Answers everybody who is left and closes everything. */
  async end(): Promise<void> {
    const drained = this.scheduler.drain();
    let isDrained = false;
    void drained.then(() => {
      isDrained = true;
    });
    for (let passes = 0; !isDrained; passes += 1) {
      this.pass();
      await turn();
      this.check();
      if (passes > 100_000) throw new Error('the scheduler does not come to an end');
    }
    this.check();
    if (this.open.size > 0) throw new Error(`${this.open.size} requests were lost`);
    const { usedPages, openSequences } = this.engine.stats();
    if (usedPages > 0 || openSequences > 0) throw new Error(`${usedPages} pages are still in use`);
    this.count();
    await this.scheduler.close();
    if (this.engine.grammars.size > 0) throw new Error('grammars are left in the engine');
    if (this.clock.pending > 0) throw new Error('timers are left');
  }

  private drawOptions(): ResolvedOptions {
    const { random } = this;
    return resolveOptions({
      rows: 8 + random.below(25),
      fixedRows: random.below(20),
      slowdown: random.next(),
      maxRunning: 2 + random.below(10),
      maxQueued: 20 + random.below(80),
      maxQueueMillis: random.chance(0.5) ? 200 + random.below(1000) : 100_000,
      maxIterations: 1 + random.below(8),
      patience: 4 + random.below(60),
      overdueEvery: 2 + random.below(4),
      storeBytes: random.chance(0.5) ? 8192 : 0,
      maxUnusedGrammars: random.below(3),
      maxPrefixes: 1 + random.below(8),
      shortExtend: 4 + random.below(12),
      quantum: 8 + random.below(100),
      maxAhead: 1 + random.below(6),
      now: this.clock.now,
      setTimer: this.clock.setTimer,
    });
  }

  private drawDrafts(): FakeDrafts {
    const { random } = this;
    const probability = random.next();
    return { most: random.below(5), isRight: () => random.chance(probability) };
  }

  private drawFailures() {
    const { random } = this;
    const isFaulty = random.chance(0.5);
    const fails = (probability: number): boolean => isFaulty && random.chance(probability);
    const boom = (): ForetraceError => {
      this.injected += 1;
      return new ForetraceError('internal', 'injected');
    };
    const failBlock = (): 'failed' => {
      this.injected += 1;
      return 'failed';
    };
    return {
      step: () => (fails(0.004) ? boom() : undefined),
      open: () => (fails(0.004) ? boom() : undefined),
      generate: () => (fails(0.004) ? boom() : undefined),
      addGrammar: () => (fails(0.05) ? boom() : undefined),
      block: () => (random.chance(0.005) ? ('outOfPages' as const) : fails(0.002) ? failBlock() : undefined),
    };
  }

  /** The engine makes one pass, which takes its time. */
  private pass(): void {
    const { release } = this;
    if (release === null) return;
    this.release = null;
    this.clock.advance(1 + this.random.next() * 3);
    release();
  }

  private submit(): void {
    const { random } = this;
    const again = random.chance(0.25) ? this.recent[random.below(this.recent.length)]?.request : undefined;
    // The first client sends most.
    const client = random.chance(0.5) ? 0 : random.below(clientCount);
    const ahead = [...this.open].find(({ request }) => request.priority === 'ahead' && request.key);
    const { deadlineMillis: _, ...base } =
      ahead !== undefined && random.chance(0.8) ? ahead.request : (again ?? this.freshQuestion());
    this.ask({
      ...base,
      client: `client${client}`,
      priority: random.chance(0.6) ? 'interactive' : 'batch',
      ...(random.chance(0.15) ? { deadlineMillis: random.below(300) - 10 } : {}),
    });
  }

  private submitAhead(): void {
    this.tally.ahead += 1;
    this.ask({ ...this.freshQuestion(), client: 'ahead', priority: 'ahead' });
  }

  private ask(base: Omit<GenerationRequest, 'signal' | 'onTokens'>): void {
    const controller = new AbortController();
    const received: number[] = [];
    const onTokens = ({ tokens }: GeneratedTokens): void => void received.push(...tokens);
    const request: GenerationRequest = { ...base, signal: controller.signal, onTokens };
    const deadline = this.clock.now() + (base.deadlineMillis ?? Number.POSITIVE_INFINITY);
    const asked: Asked = { request, controller, deadline, received, isCancelled: false };
    this.open.add(asked);
    if (base.priority !== 'ahead') {
      this.recent.push(asked);
      if (this.recent.length > 8) this.recent.shift();
    }
    this.scheduler.submit(request).then(
      (result) => this.settle(asked, () => this.checkAnswer(asked, result)),
      (error: ForetraceError) => this.settle(asked, () => this.checkError(asked, error)),
    );
  }

  private settle(asked: Asked, verify: () => void): void {
    try {
      if (!this.open.delete(asked)) throw new Error('a request was answered twice');
      verify();
    } catch (error) {
      this.problem ??= error as Error;
    }
  }

  private checkAnswer({ request, received }: Asked, result: GenerationResult): void {
    if (textOf(result) !== expectedAnswer(request).text) throw new Error('an answer is wrong');
    if (received.join() !== result.tokens.join()) throw new Error('the tokens given out are not the answer');
    const { queueMillis, computeMillis, counts } = result;
    if (!(queueMillis >= 0 && computeMillis >= 0)) throw new Error('a time is negative');
    if (counts.cached + counts.new < request.prompt.length) throw new Error('tokens are not accounted for');
    if (counts.accepted > counts.drafted) throw new Error('more guesses were right than were made');
  }

  private checkError({ request, received, isCancelled, deadline }: Asked, { code }: ForetraceError): void {
    const allowed = ['overloaded', 'out_of_pages'];
    if (isCancelled || request.priority === 'ahead') allowed.push('cancelled');
    if (deadline < Number.POSITIVE_INFINITY) allowed.push('deadline_exceeded');
    if (this.injected > 0) allowed.push('internal');
    if (!allowed.includes(code)) throw new Error(`a request ended with ${code}`);
    if (code === 'overloaded') this.tally.overloaded += 1;
    const soFar = received.length === 0 ? '' : `${received.join()},`;
    if (!`${expectedAnswer(request).tokens},`.startsWith(soFar))
      throw new Error('wrong tokens were given out');
  }

  private freshQuestion(): Omit<GenerationRequest, 'client' | 'priority'> {
    const { random } = this;
    const shared = programTokens(random.below(5), 4 * random.below(6));
    const ask = random.below(20);
    const seed = random.below(3);
    const isConstrained = random.chance(0.7);
    const maxNewTokens = 4 + random.below(4) * 4;
    const prompt = Int32Array.from([...shared, ask, (ask * 5 + 1) % vocabSize, 2]);
    return {
      prompt,
      sharedTokens: shared.length,
      ...(isConstrained ? { constraint: constraint(`grammar${ask % 5}`) } : {}),
      sampling: { temperature: seed === 0 ? 0 : 1, topP: 1, seed },
      maxNewTokens,
      stopToken: -1,
      ...(random.chance(0.6) ? { key: `${prompt.join()}/${isConstrained}/${seed}/${maxNewTokens}` } : {}),
    };
  }

  private cancelOne(): void {
    const open = [...this.open];
    const asked = open[this.random.below(open.length)];
    if (asked !== undefined) this.cancel(asked);
  }

  private disconnect(client: number): void {
    for (const asked of [...this.open]) if (asked.request.client === `client${client}`) this.cancel(asked);
  }

  private cancel(asked: Asked): void {
    asked.isCancelled = true;
    asked.controller.abort();
  }

  private check(): void {
    if (this.problem !== null) throw this.problem;
    this.engine.verify();
    const pool = this.engine.stats();
    if (pool.freePages + pool.cachedPages + pool.usedPages !== pool.totalPages)
      throw new Error('pages are lost');
    const { waiting, running, metrics } = this.inside();
    const { submitted, endings, ahead } = metrics;
    const { model, cache, cancelled, rejected, failed, expired } = endings;
    const left = submitted - model - cache - cancelled - rejected - failed - expired;
    const aheadLeft = metrics.aheadSubmitted - ahead.answered - ahead.gaveWay - ahead.failed;
    if (left + aheadLeft !== this.open.size)
      throw new Error(`${left} + ${aheadLeft} requests are open, ${this.open.size} wait for an answer`);
    if (this.release === null && pool.openSequences !== running.length)
      throw new Error(`${pool.openSequences} sequences are open, ${running.length} requests run`);
    const works = [...waiting, ...running];
    const aheadWorks = works.filter(({ priority }) => priority === 'ahead').length;
    if (works.length - aheadWorks > this.options.maxQueued + this.options.maxRunning)
      throw new Error(`${waiting.length} requests wait`);
    if (aheadWorks > 0 && aheadWorks < works.length) throw new Error('work ahead is there beside requests');
    const now = this.clock.now();
    for (const { deadline, isCancelled } of this.open) {
      if (deadline <= now) throw new Error('a deadline has passed without an answer');
      if (isCancelled) throw new Error('a cancelled request is still open');
    }
  }

  /** What `stats` is made of, without the copies. */
  private inside(): Core {
    return (this.scheduler as unknown as { core: Core }).core;
  }

  private count(): void {
    const { tally, watch } = this;
    const stats = this.scheduler.stats();
    tally.submitted += stats.submitted;
    tally.aheadGaveWay += stats.ahead.gaveWay;
    tally.aheadJoined += stats.ahead.joined;
    tally.model += stats.endings.model;
    tally.cache += stats.endings.cache;
    tally.joined += stats.joined;
    tally.cancelled += stats.endings.cancelled;
    tally.expired += stats.endings.expired;
    tally.failed += stats.endings.failed;
    tally.drafted += stats.tokens.drafted;
    tally.accepted += stats.tokens.accepted;
    tally.preemptions += stats.preemptions;
    tally.engineFailures += this.injected;
    tally.steps += stats.steps;
    tally.overdue += watch.overdueSeen;
    tally.mostWaitedSteps = Math.max(tally.mostWaitedSteps, watch.mostWaited);
    tally.mostUnservedSteps = Math.max(tally.mostUnservedSteps, watch.mostUnserved);
  }
}
