/** The trajectory store: transitions by state, and what they prove. */
export type { Place } from './chain.js';
export {
  type DerivedState,
  derive,
  deriveAlong,
  type History,
  knownEntry,
  type Proof,
  type Run,
  type World,
} from './derive.js';
export { directionOf, Goal, isSingle, singleStep } from './goal.js';
export { type KeptTransition, StateStore, type TrajectoryStats } from './store.js';
export {
  type AnswererIdentity,
  frameBytes,
  type SamplingIdentity,
  stateBytes,
  stateKey,
  stateOverhead,
  type Transition,
  worldKey,
} from './transition.js';
