/** Counters and histograms of the scheduler as plain values; adapters turn them into their own protocol. */
import type { Priority } from './request.js';

/** Cumulative is left to the reader: `counts[i]` belongs to (bounds[i - 1], bounds[i]], the last one to everything above. */
export interface HistogramSnapshot {
  readonly bounds: readonly number[];
  readonly counts: readonly number[];
  readonly count: number;
  readonly sum: number;
}

export class Histogram {
  private readonly counts: Float64Array;
  private count = 0;
  private sum = 0;

  /** @param bounds upper bounds of the buckets, ascending. */
  constructor(private readonly bounds: readonly number[]) {
    this.counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    let bucket = 0;
    while (bucket < this.bounds.length && value > (this.bounds[bucket] as number)) bucket += 1;
    this.counts[bucket] = (this.counts[bucket] as number) + 1;
    this.count += 1;
    this.sum += value;
  }

  snapshot(): HistogramSnapshot {
    return { bounds: this.bounds, counts: Array.from(this.counts), count: this.count, sum: this.sum };
  }
}

const rowBounds = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];
const microBounds = [100, 250, 500, 1e3, 2.5e3, 5e3, 1e4, 2.5e4, 5e4, 1e5, 2.5e5, 5e5, 1e6];
const milliBounds = [0.1, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1e3, 2.5e3, 5e3, 1e4, 3e4];

/** How requests ended. Every submitted request is counted in exactly one of these. */
export interface Endings {
  model: number;
  cache: number;
  cancelled: number;
  rejected: number;
  failed: number;
  /** `deadline_exceeded`, refused at once or not. */
  expired: number;
}

/** How `ahead` requests ended. */
export interface AheadEndings {
  answered: number;
  /** Ended because somebody asked for something. */
  gaveWay: number;
  failed: number;
}

export class Metrics {
  readonly rowsPerStep = new Histogram(rowBounds);
  readonly stepMicros = new Histogram(microBounds);
  readonly queueMillis = new Histogram(milliBounds);
  readonly computeMillis = new Histogram(milliBounds);
  readonly endings: Endings = {
    model: 0,
    cache: 0,
    cancelled: 0,
    rejected: 0,
    failed: 0,
    expired: 0,
  };
  readonly ahead: AheadEndings = { answered: 0, gaveWay: 0, failed: 0 };
  aheadSubmitted = 0;
  /** `ahead` requests that somebody asked for while they were computed. */
  aheadJoined = 0;
  submitted = 0;
  joined = 0;
  steps = 0;
  iterations = 0;
  rows = 0;
  preemptions = 0;
  engineFailures = 0;
  promptTokensCached = 0;
  promptTokensComputed = 0;
  generatedTokens = 0;
  forcedTokens = 0;
  draftedTokens = 0;
  acceptedTokens = 0;
  /** Tokens of answers that came from the trajectory store. */
  storedTokens = 0;
  javascriptMicros = 0;
  engineMicros = 0;

  submittedAs(priority: Priority): void {
    if (priority === 'ahead') this.aheadSubmitted += 1;
    else this.submitted += 1;
  }

  /** Counts how a request ended: `ahead` ones by themselves, because nobody has asked for them. */
  ended(priority: Priority, ending: keyof Endings): void {
    if (priority !== 'ahead') this.endings[ending] += 1;
    else if (ending === 'model' || ending === 'cache') this.ahead.answered += 1;
    else if (ending === 'cancelled' || ending === 'rejected') this.ahead.gaveWay += 1;
    else this.ahead.failed += 1;
  }

  snapshot(): MetricsSnapshot {
    const prompt = this.promptTokensCached + this.promptTokensComputed;
    const busy = this.javascriptMicros + this.engineMicros;
    return {
      submitted: this.submitted,
      joined: this.joined,
      endings: { ...this.endings },
      ahead: { submitted: this.aheadSubmitted, joined: this.aheadJoined, ...this.ahead },
      steps: this.steps,
      iterations: this.iterations,
      rows: this.rows,
      preemptions: this.preemptions,
      engineFailures: this.engineFailures,
      tokens: {
        cached: this.promptTokensCached,
        computed: this.promptTokensComputed,
        generated: this.generatedTokens,
        forced: this.forcedTokens,
        drafted: this.draftedTokens,
        accepted: this.acceptedTokens,
        stored: this.storedTokens,
      },
      cachedShare: prompt === 0 ? 0 : this.promptTokensCached / prompt,
      javascriptShare: busy === 0 ? 0 : this.javascriptMicros / busy,
      rowsPerStep: this.rowsPerStep.snapshot(),
      stepMicros: this.stepMicros.snapshot(),
      queueMillis: this.queueMillis.snapshot(),
      computeMillis: this.computeMillis.snapshot(),
    };
  }
}

export interface MetricsSnapshot {
  readonly submitted: number;
  /** Requests answered by the computation of an equal one. */
  readonly joined: number;
  readonly endings: Readonly<Endings>;
  /** Requests that look ahead; nowhere else counted but in steps, rows and tokens. */
  readonly ahead: Readonly<AheadEndings> & { readonly submitted: number; readonly joined: number };
  readonly steps: number;
  readonly iterations: number;
  readonly rows: number;
  readonly preemptions: number;
  readonly engineFailures: number;
  readonly tokens: {
    /** Prompt tokens found in the prefix cache. */
    readonly cached: number;
    /** Prompt tokens that were computed, also again after a preemption. */
    readonly computed: number;
    /** Tokens generated, forced ones included. */
    readonly generated: number;
    readonly forced: number;
    /** Tokens guessed by the engine ahead of the model, and those of them that the model then chose. */
    readonly drafted: number;
    readonly accepted: number;
    /** Tokens of answers from the trajectory store. */
    readonly stored: number;
  };
  /** Cached share of all prompt tokens of opened sequences, 0..1. */
  readonly cachedShare: number;
  /** Share of the loop's time spent in JavaScript, 0..1. */
  readonly javascriptShare: number;
  readonly rowsPerStep: HistogramSnapshot;
  readonly stepMicros: HistogramSnapshot;
  readonly queueMillis: HistogramSnapshot;
  readonly computeMillis: HistogramSnapshot;
}
