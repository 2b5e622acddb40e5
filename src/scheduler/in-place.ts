/**
 * Whether an engine call runs on the JavaScript thread. Handing a step to the engine's thread and its result back costs as much as a short pass, so a
 * call that is expected to be short is made in place, unless other processors could meanwhile do something for others. Where it runs decides when an
 * answer is there, never what it is.
 */
import type { StepSummary } from '../native/addon-types.js';
import { Turns } from './turns.js';
import type { PlannedBlock } from './work.js';

/** Part of a new measurement in the kept one. */
const newest = 0.1;

export class InPlace {
  /** Microseconds of a pass by (fixedRows + rows); 0 = not measured. */
  private microsPerRow = 0;
  private readonly turns = new Turns();

  /**
   * @param mostMicros longest call in place; 0 = none. Half of it is for passes that are begun, half for the last of them.
   * @param fixedRows what a pass costs by itself, in rows
   * @param spareProcessors whether there are more processors than the engine uses
   */
  constructor(
    private readonly mostMicros: number,
    private readonly fixedRows: number,
    private readonly spareProcessors: boolean,
  ) {}

  /** When a call in place begins no further pass. */
  get deadlineMicros(): number {
    return Math.ceil(this.mostMicros / 2);
  }

  /** True if the next call is short enough. `isAhead`: nobody waits for it, so nobody should have to wait because of it. */
  suits(blocks: readonly PlannedBlock[], isAhead: boolean): boolean {
    if (this.mostMicros === 0 || this.microsPerRow === 0 || isAhead) return false;
    if (this.spareProcessors && blocks.length > 1) return false;
    let rows = this.fixedRows;
    for (const block of blocks) rows += block.rows;
    return rows * this.microsPerRow <= this.deadlineMicros;
  }

  observe({ iterations, rows, computeMicros }: StepSummary): void {
    const units = iterations * this.fixedRows + rows;
    if (units === 0) return;
    const micros = computeMicros / units;
    this.microsPerRow += (this.microsPerRow === 0 ? 1 : newest) * (micros - this.microsPerRow);
  }

  /** Before a call in place: lets timers and sockets have their turn if they have waited for long. */
  turn(now: number): Promise<void> {
    return this.turns.take(now);
  }
}
