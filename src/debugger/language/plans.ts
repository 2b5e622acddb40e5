/** The operations that are made of others (docs/trace-language.md, section 9). */
import { arrangingPlan } from './arranged.js';
import { bitsPlan } from './bits.js';
import { gatheringPlan } from './gathered.js';
import { infinitePlan } from './infinite.js';
import { kindPlan } from './kinds.js';
import { lookupPlan } from './lookups.js';
import { orderingPlan } from './ordered.js';
import { paddingPlan } from './padded.js';
import type { Part } from './parts.js';
import type { Plan, Told } from './plan.js';
import { sumPlan } from './sums.js';
import { textPlan } from './text-methods.js';

/** How a part of the code comes about; undefined for those that are asked as they are. */
export const planOf = (code: ArrayLike<number>, part: Part, told: Told): Plan | undefined =>
  lookupPlan(code, part, told) ??
  kindPlan(code, part, told) ??
  bitsPlan(code, part, told) ??
  arrangingPlan(code, part, told) ??
  textPlan(code, part, told) ??
  infinitePlan(code, part, told) ??
  sumPlan(code, part, told) ??
  orderingPlan(code, part, told) ??
  gatheringPlan(code, part, told) ??
  paddingPlan(code, part, told);
