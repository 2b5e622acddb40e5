/**
 * Every error that can leave foretrace, in one table: code -> what it means for the caller.
 * Native code, the wire contract and docs/protocol.md use the same codes; test/contract.test.ts holds them together.
 */
export interface ErrorKind {
  /** HTTP status of the JSON mirror. */
  readonly status: number;
  /** True if the same request may succeed later without any change. */
  readonly retryable: boolean;
  /** One sentence for the documentation. */
  readonly meaning: string;
}

const kind = (status: number, meaning: string, retryable = false): ErrorKind => ({
  status,
  retryable,
  meaning,
});

export const errorKinds = {
  // The program and the question.
  invalid_python: kind(400, 'The program text does not parse as Python.'),
  invalid_entry: kind(400, 'The entry is not exactly one call expression.'),
  program_too_long: kind(
    400,
    'The program, or what the call reaches of it, has more code lines than the trace language can name, or more bytes than the server takes.',
  ),
  program_too_deep: kind(400, 'The program is indented more deeply than the trace language can write.'),
  too_many_names: kind(
    400,
    'The program, or what the call reaches of it, uses more distinct identifiers than the trace language can name.',
  ),
  context_too_long: kind(400, 'Program, state and action do not fit into the context of the model.'),
  invalid_action: kind(400, 'The action is unknown or its arguments do not fit it.'),
  invalid_breakpoint: kind(
    400,
    'A breakpoint names a line that holds no code, or none that the call reaches.',
  ),
  invalid_expression: kind(
    400,
    'The expression to evaluate is not one Python expression, or cannot be written in the trace language.',
  ),
  hidden_arguments: kind(
    400,
    'The entry hides its arguments; its session must be opened with a start state.',
  ),
  invalid_state: kind(400, 'The given state does not fit the program.'),
  walk_too_long: kind(
    409,
    'A walk ran in a circle, or took more steps than it may, before it came to what the action looks for.',
  ),
  past_end: kind(409, 'The current state is the last one of the run; nothing comes after it.'),
  past_start: kind(409, 'The current state is the first one of the run; nothing comes before it.'),
  // The protocol.
  invalid_message: kind(400, 'The message is not valid for this protocol.'),
  unsupported_version: kind(400, 'The client speaks another version of the protocol.'),
  message_too_large: kind(413, 'The message is larger than the limit.'),
  unauthorized: kind(401, 'The API key is missing or not known.'),
  rate_limited: kind(429, 'The client sends more requests than its limit.', true),
  unknown_path: kind(404, 'The service has no such path or method.'),
  unknown_session: kind(404, 'The session does not exist or has expired.'),
  unknown_state: kind(404, 'The session holds no state with this number.'),
  unknown_request: kind(404, 'There is no running request with this number.'),
  too_many_sessions: kind(429, 'The limit of open sessions is reached.', true),
  busy: kind(409, 'The session is still answering an earlier action.', true),
  cancelled: kind(499, 'The request was cancelled.'),
  overloaded: kind(503, 'More requests wait than can be answered in time.', true),
  deadline_exceeded: kind(
    504,
    'The answer did not come, or could not have come, within the time the request allows.',
    true,
  ),
  draining: kind(503, 'The server is shutting down.', true),
  disconnected: kind(503, 'The connection to the service was lost or could not be made.', true),
  // The machine around it.
  unreadable_file: kind(400, 'A file that was named cannot be read or does not hold what it should.'),
  missing_tool: kind(500, 'A program that foretrace needs is not installed.'),
  unusable_address: kind(500, 'The service cannot listen on the address, or it is no address of a service.'),
  // Models and the engine.
  model_not_found: kind(500, 'The model directory or one of its files is missing.'),
  invalid_model: kind(500, 'A model file is corrupt, truncated or of an unsupported kind.'),
  invalid_argument: kind(500, 'A value handed to the engine is out of range.'),
  out_of_pages: kind(503, 'The KV pool has too few free pages for this request.', true),
  engine_busy: kind(503, 'The engine is running a step.', true),
  engine_closed: kind(503, 'The engine has been closed.'),
  unsupported_device: kind(500, 'The device or instruction set is not available on this machine.'),
  internal: kind(500, 'A defect in foretrace.'),
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof errorKinds;

export interface ErrorDetails {
  /** What was expected, as text for people. */
  expected?: string;
  /** What was found instead. */
  actual?: string;
  /** Physical source line (1-based) the error belongs to. */
  line?: number;
  /** Source column (1-based) the error belongs to. */
  column?: number;
  /** Milliseconds after which the same request may succeed. */
  retryAfterMillis?: number;
}

/** An error with a code of the table above; everything a caller may see is one of these. */
export class ForetraceError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ForetraceError';
    this.code = code;
    this.details = details;
  }

  get retryable(): boolean {
    return errorKinds[this.code].retryable;
  }
}

/** Turns anything thrown into a coded error; unknown ones become `internal` and keep their cause. */
export function asForetraceError(error: unknown): ForetraceError {
  if (error instanceof ForetraceError) return error;
  const code = (error as { code?: unknown } | null)?.code;
  const message = error instanceof Error ? error.message : String(error);
  if (typeof code === 'string' && Object.hasOwn(errorKinds, code)) {
    return new ForetraceError(code as ErrorCode, message, {}, { cause: error });
  }
  return new ForetraceError('internal', message, {}, { cause: error });
}

/** One line for people: code, message, what was expected and what was found. */
export function errorText({ code, message, details: { expected, actual } }: ForetraceError): string {
  const both = [...(expected ? [`expected ${expected}`] : []), ...(actual ? [`found ${actual}`] : [])];
  return `${code}: ${message}${both.length > 0 ? ` (${both.join('; ')})` : ''}`;
}
