/** Errors of what nobody waits for any more. */
import { ForetraceError } from '../errors.js';

export const cancelled = (): ForetraceError => new ForetraceError('cancelled', 'The request was cancelled');

export const tooLate = (): ForetraceError =>
  new ForetraceError('deadline_exceeded', 'The answer did not come within the time the request allows');
