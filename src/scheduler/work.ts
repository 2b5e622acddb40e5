/**
 * The plain values that planning reads and writes. Nothing here has effects; `Job` (job.ts) satisfies both
 * `WaitingWork` and `RunningWork`, so planning allocates no copies of the queue.
 */
import type { Priority } from './request.js';

/** Hash of the shared beginning of a prompt; 0 = too short to be worth sharing. A collision costs time, never a wrong answer. */
export type PrefixKey = number;

/** A client in a class: what rows of a pass are divided between. */
export type Account = string;

export const accountOf = (priority: Priority, client: string): Account => `${priority}:${client}`;

export interface Work {
  readonly id: number;
  readonly client: string;
  readonly priority: Priority;
  /** Theirs by accountOf(). */
  readonly account: Account;
  /** Arrival number: smaller came earlier. A preempted request keeps its own. */
  readonly arrival: number;
  /** Pages that hold all known tokens and all tokens still to be generated. */
  readonly pages: number;
  readonly prefixKey: PrefixKey;
  /** When the answer is of no use any more, in milliseconds of the scheduler's clock; Infinity = never. */
  readonly deadline: number;
}

export interface WaitingWork extends Work {
  /** Step in which it began to wait for the first time; age = step - queuedAtStep. */
  readonly queuedAtStep: number;
  /** Tokens known when it is opened: the prompt, after a preemption also the answer so far. */
  readonly knownTokens: number;
  /** Length of the beginning that `prefixKey` stands for. */
  readonly sharedTokens: number;
}

export interface RunningWork extends Work {
  /** Number of the admission: larger is younger. */
  readonly admission: number;
  /** Known tokens not computed yet; 0 = generating. */
  readonly pendingTokens: number;
  /** Rows its next pass takes when it is generating: the last token and the forced ones behind it. */
  readonly generatingRows: number;
  /** Step in which it last took part. */
  readonly lastStep: number;
  readonly preemptions: number;
}

/** What is known of one shared beginning. */
export interface PrefixState {
  /** `computing`: one sequence is at it and the others wait; `computed`: its pages were sealed and may still be cached. */
  readonly status: 'computing' | 'computed';
  /** Open sequences that hold its pages. */
  readonly holders: number;
}

/** Deficit round robin between clients, kept from step to step as a value. */
export interface Fairness {
  /** Tokens a client may still spend; clients without waiting work have none. */
  readonly deficits: ReadonlyMap<string, number>;
  /** Client whose turn it is. */
  readonly next: string | null;
  /** True if that client already received the quantum of this turn. */
  readonly opened: boolean;
  /** Admissions since the oldest overdue request was last given one. */
  readonly passedOverdue: number;
}

export const freshFairness: Fairness = { deficits: new Map(), next: null, opened: false, passedOverdue: 0 };

/** An account that was served lately. */
export interface RecentAccount {
  /** What an answer costs it alone, on the mean: rows, `fixedRows` for each pass counted; Infinity before the first. */
  readonly answerRows: number;
  /** What its passes have cost, the latest counting most. The unit is anything, but the same for all accounts. */
  readonly served: number;
  /** The same when it last had an answer: without what the questions that it waits for have cost since. */
  readonly servedBefore: number;
  /** Until when it is expected to ask again, by its usual pauses: milliseconds of the scheduler's clock. */
  readonly expectedUntil: number;
}

export interface Queues {
  /** In order of arrival. */
  readonly waiting: readonly WaitingWork[];
  readonly running: readonly RunningWork[];
  readonly prefixes: ReadonlyMap<PrefixKey, PrefixState>;
  readonly fairness: Fairness;
  /** The `interactive` accounts that were served lately. */
  readonly recent: ReadonlyMap<Account, RecentAccount>;
  readonly step: number;
  /** Milliseconds of the scheduler's clock. */
  readonly now: number;
}

export interface Budget {
  /** Most rows (tokens) of one pass; at least 4. */
  readonly rows: number;
  /** Cost of a pass by itself, in rows: a pass of r rows takes time in proportion to `fixedRows + r`. */
  readonly fixedRows: number;
  /** By how much of its own time alone each of many other clients may slow a client down, step by step (mostAdded() in share.ts). */
  readonly slowdown: number;
  /** Most rows of a pass that only looks ahead. */
  readonly aheadRows: number;
  /** Most open sequences. */
  readonly maxRunning: number;
  /** Share of slots and pages that a client which holds half of all does not get. */
  readonly reserveShare: number;
  /** Share of the rows kept for prompts while one waits, 0..1. */
  readonly prefillShare: number;
  /** Share of the rows kept for `batch` requests that generate while `interactive` ones do, 0..1. */
  readonly batchShare: number;
  /** Prompts with at most this many tokens to compute go before longer ones. */
  readonly shortExtend: number;
  /** Tokens a client may spend in one turn. */
  readonly quantum: number;
  /** Score, in cached tokens, that a waiting request gains with every step. */
  readonly ageTokens: number;
  /** Most score, in cached tokens, that a near deadline is worth. */
  readonly urgentTokens: number;
  /** Milliseconds before its deadline in which a request gains that score. */
  readonly urgentMillis: number;
  /** Steps after which a `batch` request ranks as `interactive`, a request is overdue, and one that lacks pages is not passed by others any more. */
  readonly patience: number;
  /** One of so many admissions goes to the overdue request that arrived first. */
  readonly overdueEvery: number;
  /** How often one request may lose its pages or its slot to a more urgent one. */
  readonly maxPreemptions: number;
  /** Most passes of one engine call when nothing else can be done meanwhile. */
  readonly maxIterations: number;
}

export interface Memory {
  /** Pages that are free or hold only cached prefixes. */
  readonly availablePages: number;
  readonly totalPages: number;
  readonly pageTokens: number;
}

export interface PlannedBlock {
  readonly id: number;
  /** Rows granted: tokens of a prompt, or the rows of a generating sequence. */
  readonly rows: number;
}

export interface StepPlan {
  /** Running requests that give their pages back before anything is opened. */
  readonly preempt: readonly number[];
  /** Waiting requests to open, in this order. */
  readonly admit: readonly number[];
  /** Rows of running and of admitted requests; the sum is within the budget. */
  readonly blocks: readonly PlannedBlock[];
  /** Passes the engine may make before it returns, if the rows of those that are opened turn out to be all they need. */
  readonly maxIterations: number;
  readonly fairness: Fairness;
}
