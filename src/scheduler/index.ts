/** What the rest of foretrace may use of the scheduler. */
export { type Calibration, calibrate, type PassCost, type PassSample } from './calibrate.js';
export type { Histogram, HistogramSnapshot, MetricsSnapshot } from './metrics.js';
export type { SchedulerOptions } from './options.js';
export * from './request.js';
export { createScheduler, type Scheduler, type SchedulerStats } from './scheduler.js';
export type { StoreStats } from './trajectory-store.js';
