/** The operations that are made of others (docs/trace-language.md, section 9). */
import { arrangingPlan } from './arranged.js';
import { bitsPlan } from './bits.js';
import { floatPlan } from './floats.js';
import { gatheringPlan } from './gathered.js';
import { infinitePlan } from './infinite.js';
import { kindPlan } from './kinds.js';
import { lookupPlan } from './lookups.js';
import { orderingPlan, sequencePlan } from './ordered.js';
import { paddingPlan } from './padded.js';
import type { Part } from './parts.js';
import type { Plan, Told } from './plan.js';
import { signPlan } from './signs.js';
import { operatorOf, sumPlan } from './sums.js';
import { textPlan } from './text-methods.js';
import { charToken } from './tokens.js';

const slash = charToken('/');

/** How a part of the code comes about; undefined for those that are asked as they are. */
export const planOf = (code: ArrayLike<number>, part: Part, told: Told): Plan | undefined =>
  lookupPlan(code, part, told) ??
  kindPlan(code, part, told) ??
  signPlan(code, part, told) ??
  bitsPlan(code, part, told) ??
  arrangingPlan(code, part, told) ??
  textPlan(code, part, told) ??
  infinitePlan(code, part, told) ??
  numberPlan(code, part, told) ??
  orderingPlan(code, part, told) ??
  sequencePlan(code, part, told) ??
  gatheringPlan(code, part, told) ??
  paddingPlan(code, part, told);

/** By decimals; where a division so leads to no end, as floats are. */
function numberPlan(code: ArrayLike<number>, part: Part, told: Told): Plan | undefined {
  const first = sumPlan(code, part, told);
  if (first !== undefined && operatorOf(code, part) !== slash) return first;
  const second = floatPlan(code, part, told);
  if (first === undefined || second === undefined) return first ?? second;
  return {
    questions: first.questions + second.questions,
    value: (valueFor) => first.value(valueFor) ?? second.value(valueFor),
  };
}
