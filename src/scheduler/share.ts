/**
 * Who may have how many rows of a pass: pure functions. Rows are divided between accounts (a client in a class) so that nobody can gain by asking for
 * more (max-min fairness), and a pass is only as large as the accounts in it can bear: what others add to it slows everybody in it down.
 */
import { expectedUncachedTokens } from './policy.js';
import type { Account, Budget, PrefixKey, Queues, RecentAccount, RunningWork, Work } from './work.js';

/** What everybody could use of a pass. */
export interface Demands {
  /** Least cost of an answer, in rows, of the `interactive` accounts that want nothing now, are expected back and have not peers alone; Infinity = there is none. */
  readonly absent: number;
  /** Rows by account, each at most the rows of a pass. */
  readonly interactive: ReadonlyMap<Account, number>;
  readonly batch: ReadonlyMap<Account, number>;
  /** Shared beginnings for which an `interactive` request waits. */
  readonly awaited: ReadonlySet<PrefixKey>;
  /** The `interactive` accounts that were served lately. */
  readonly recent: ReadonlyMap<Account, RecentAccount>;
  /** What the one of these accounts was served that was served most; Infinity if one has several requests, or is `batch`. */
  readonly busiest: number;
  /** Rows by account that are left of short prompts which are begun. */
  readonly begun: ReadonlyMap<Account, number>;
}

/** How much more than another account one may have been served lately and be its peer. */
const peerRatio = 1.5;

/**
 * Whether nobody who wants something asks more of the model than the account does: one request at a time, and lately about as much. What peers add to a pass they
 * would add to the next ones if it were cut, and more, for a pass costs something by itself.
 */
const hasPeersAlone = (account: RecentAccount | undefined, busiest: number): boolean =>
  busiest < peerRatio * (account?.served ?? 0);

/** Rows that each account could use now, running and waiting requests together. */
export function demandsOf(queues: Queues, budget: Budget): Demands {
  const interactive = new Map<Account, number>();
  const batch = new Map<Account, number>();
  const awaited = new Set<PrefixKey>();
  const begun = new Map<Account, number>();
  const { recent } = queues;
  let busiest = 0;
  const count = (work: Work, rowsOf: () => number): void => {
    const demands = work.priority === 'interactive' ? interactive : batch;
    const known = demands.get(work.account);
    const isSingle = known === undefined && work.priority === 'interactive';
    busiest = Math.max(
      busiest,
      isSingle ? (recent.get(work.account)?.served ?? 0) : Number.POSITIVE_INFINITY,
    );
    if (known === undefined || known < budget.rows)
      demands.set(work.account, Math.min(budget.rows, (known ?? 0) + rowsOf()));
  };
  for (const work of queues.running) {
    count(work, () => rowsWanted(work));
    if (work.pendingTokens > 0 && work.pendingTokens <= budget.shortExtend)
      begun.set(work.account, (begun.get(work.account) ?? 0) + work.pendingTokens);
  }
  for (const work of queues.waiting) {
    if (queues.prefixes.get(work.prefixKey)?.status === 'computing') {
      if (work.priority === 'interactive') awaited.add(work.prefixKey);
    } else count(work, () => expectedUncachedTokens(work, queues));
  }
  let absent = Number.POSITIVE_INFINITY;
  for (const [name, account] of recent) {
    if (interactive.has(name) || queues.now > account.expectedUntil) continue;
    if (!hasPeersAlone(account, busiest)) absent = Math.min(absent, account.answerRows);
  }
  return { interactive, batch, awaited, recent, busiest, absent, begun };
}

export const rowsWanted = (work: RunningWork): number =>
  work.pendingTokens > 0 ? work.pendingTokens : work.generatingRows;

/**
 * By how much of its time alone `others` accounts together may slow one down. Among many each may add nearly `slowdown`, so that passes stay large; a single
 * one may add a third of that, because what it sends is no reason that another should notice it.
 */
export const mostAdded = (others: number, slowdown: number): number =>
  (slowdown * others ** 2) / (others + 2);

/**
 * Most rows of this pass. A pass costs everybody in it `fixedRows + rows`; alone, an account that wants d rows would pay `fixedRows + d`. The others
 * may add mostAdded() times that and no more, so the pass is cut for the account that wants least: a client that floods the queue
 * cannot fill the passes that others are in. The more accounts there are, the less this cuts. `interactive` accounts are not cut for `batch` ones, nor
 * for one that has peers alone. Who is expected back may come while the pass is on its way and has to wait for its end: that costs it no more than half
 * of what they may add.
 */
export function fairRows({ interactive, batch, recent, busiest, absent }: Demands, budget: Budget): number {
  const { fixedRows, slowdown } = budget;
  const accounts = interactive.size + batch.size;
  let rows = Math.min(budget.rows, Math.floor((mostAdded(accounts, slowdown) / 2) * absent - fixedRows));
  if (accounts > 1) {
    let least = budget.rows;
    for (const [account, wanted] of interactive.size > 0 ? interactive : batch)
      if (!hasPeersAlone(recent.get(account), busiest)) least = Math.min(least, wanted);
    const bearable = (1 + mostAdded(accounts - 1, slowdown)) * (fixedRows + least) - fixedRows;
    rows = Math.min(rows, Math.floor(bearable));
  }
  return Math.min(budget.rows, Math.max(leastRows, accounts, rows));
}

/** Fewest rows of a pass: one each for the two classes that generate, and two for prompts. */
export const leastRows = 4;

/**
 * Fair shares of `rows` in whole rows. Nobody gets more than it wants; the account that wants least gets that, up to 1 / (1 + mostAdded()) of all,
 * because the pass was cut for it; the others share max-min fairly: whoever gets less than it wants gets no less than any other of them.
 * What cannot be divided evenly is left over.
 */
export function allot(
  demands: ReadonlyMap<Account, number>,
  rows: number,
  slowdown: number,
): Map<Account, number> {
  const ascending = [...demands].sort(([, a], [, b]) => a - b);
  const shares = new Map<Account, number>();
  let left = rows;
  ascending.forEach(([account, wanted], index) => {
    const others = ascending.length - index - 1;
    const isLeast = index === 0 && others > 0 && wanted < (ascending[1] as [Account, number])[1];
    const part = isLeast
      ? Math.max(1 / (others + 1), 1 / (1 + mostAdded(others, slowdown)))
      : 1 / (others + 1);
    const share = Math.min(wanted, Math.floor(left * part));
    shares.set(account, share);
    left -= share;
  });
  return shares;
}

/** Rows kept for `batch` requests beside `interactive` ones. */
export function batchRows({ interactive, batch }: Demands, rows: number, budget: Budget): number {
  if (interactive.size === 0) return rows;
  let wanted = 0;
  for (const demand of batch.values()) wanted += demand;
  return Math.min(wanted, Math.max(1, Math.floor(rows * budget.batchShare)));
}

/** Rows from which on a slice of a prompt costs little more than it does within the whole. */
const smallShare = 16;

/** By what turns are given. */
export interface Turns {
  /** Rows of a turn. */
  readonly rows: number;
  readonly recent: ReadonlyMap<Account, Pick<RecentAccount, 'served' | 'servedBefore'>>;
  /** Rows by account that are left of prompts which are begun. */
  readonly begun: ReadonlyMap<Account, number>;
}

/**
 * The same rows, but in turns where shares are small. Where a share is less than its account wants, and less than `smallShare`, a prompt would be computed in slices over many
 * passes, each of which reads all that was before it, and nobody would have an answer before all have. So such shares are put together and given out a turn at a time
 * to who was served least lately (as in Linux's completely fair scheduler), so that over some passes everybody gets what its shares would have been. What is left of a
 * prompt that is begun keeps its place: what the account has been served since its last answer does not count.
 */
export function inTurns(
  shares: ReadonlyMap<Account, number>,
  demands: ReadonlyMap<Account, number>,
  { rows, recent, begun }: Turns,
): Map<Account, number> {
  const wantedOf = (account: Account): number => Math.min(rows, demands.get(account) as number);
  const cut = [...shares]
    .filter(([account, share]) => share < Math.min(smallShare, wantedOf(account)))
    .map(([account]) => account);
  const turns = cut.flatMap((account) => {
    const wanted = wantedOf(account);
    const { served, servedBefore } = recent.get(account) ?? { served: 0, servedBefore: 0 };
    return [
      { account, upTo: Math.min(wanted, begun.get(account) ?? 0), after: servedBefore },
      { account, upTo: wanted, after: served },
    ];
  });
  turns.sort((a, b) => a.after - b.after);
  const given = new Map(shares);
  let left = 0;
  for (const account of cut) {
    left += given.get(account) as number;
    given.set(account, 0);
  }
  for (const { account, upTo } of turns) {
    const already = given.get(account) as number;
    const more = Math.min(left, Math.max(0, upTo - already));
    given.set(account, already + more);
    left -= more;
  }
  return given;
}

/** Most rows of each account while others want some. Of `batch` accounts nobody counts what they were served, and nobody waits: they have no turns. */
export function sharesOf(demands: Demands, rows: number, budget: Budget): Map<Account, number> {
  const { interactive, batch, begun, recent } = demands;
  const shares = inTurns(
    allot(interactive, rows - batchRows(demands, rows, budget), budget.slowdown),
    interactive,
    { rows: budget.shortExtend, recent, begun },
  );
  let left = rows;
  for (const share of shares.values()) left -= share;
  for (const [account, share] of allot(batch, left, budget.slowdown)) shares.set(account, share);
  return shares;
}

/**
 * The order in which work of one class is served: the first of every account, then the second of every account, and so on; among these whoever waits
 * longest. So every account's turn comes in every round, however many requests another one has.
 */
export function byTurns<W extends RunningWork>(works: readonly W[]): W[] {
  const byAge = [...works].sort((a, b) => a.lastStep - b.lastStep || a.admission - b.admission);
  const seen = new Map<Account, number>();
  const rounds: W[][] = [];
  for (const work of byAge) {
    const round = seen.get(work.account) ?? 0;
    seen.set(work.account, round + 1);
    const members = rounds[round];
    if (members === undefined) rounds[round] = [work];
    else members.push(work);
  }
  return rounds.flat();
}
