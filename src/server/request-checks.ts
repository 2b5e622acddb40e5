/** What a request may ask for, before anything is done for it. */
import { ForetraceError } from '../errors.js';
import { defaultMaxSteps } from '../session/navigate.js';
import type { ClientBodies } from '../wire/messages.js';
import type { ServiceLimits } from './limits.js';

/** @throws ForetraceError invalid_message for more steps than one request may take */
export function stepsOf(asked: number, { maxWalkSteps }: ServiceLimits): number {
  if (asked <= maxWalkSteps) return asked || Math.min(defaultMaxSteps, maxWalkSteps);
  throw new ForetraceError('invalid_message', 'max_steps is out of range', {
    expected: `at most ${maxWalkSteps}`,
    actual: String(asked),
  });
}

/** @throws ForetraceError invalid_expression */
export function assertExpression(expression: string, { maxExpressionLength }: ServiceLimits): void {
  if (expression.length <= maxExpressionLength) return;
  throw new ForetraceError('invalid_expression', 'the expression is too long', {
    expected: `at most ${maxExpressionLength} characters`,
    actual: `${expression.length} characters`,
  });
}

/** @throws ForetraceError program_too_long */
export function assertSize(
  { source, call }: ClientBodies['openSession'],
  { maxSourceBytes }: ServiceLimits,
): void {
  const bytes = Buffer.byteLength(source) + Buffer.byteLength(call);
  if (bytes <= maxSourceBytes) return;
  throw new ForetraceError('program_too_long', 'the program text is too large', {
    expected: `at most ${maxSourceBytes} bytes`,
    actual: `${bytes} bytes`,
  });
}
