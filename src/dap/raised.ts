/** What an expression was left by, and what is said of it. */
import { asForetraceError, errorText } from '../errors.js';

/** The exception that an expression was left by, as the model tells it: an answer, and no failure of the service. */
export class Raised extends Error {}

/** One line for people. */
export const sayingOf = (thrown: unknown): string =>
  thrown instanceof Raised ? thrown.message : errorText(asForetraceError(thrown));
