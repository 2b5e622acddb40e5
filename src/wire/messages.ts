/**
 * TypeScript types of proto/foretrace.proto, as decoded: absent numbers, texts and lists are filled in, absent messages are null.
 * Written by hand; test/contract.test.ts holds these types and the .proto together.
 */

export const protocolVersion = 1;

export const actionNumbers = {
  step_into: 1,
  step_over: 2,
  step_return: 3,
  breakpoint: 4,
  continue: 5,
  inv_step_into: 6,
  inv_step_over: 7,
  inv_step_call: 8,
  inv_breakpoint: 9,
  inv_continue: 10,
} as const;

export const eventNumbers = { call: 1, line: 2, return: 3, exception: 4 } as const;
export const originNumbers = { model: 1, cache: 2, derived: 3, given: 4 } as const;
export const priorityNumbers = { interactive: 0, batch: 1 } as const;
export const modeNumbers = { jump: 0, walk: 1, auto: 2 } as const;
export const queryEndNumbers = { open: 0, run: 1, frame: 2, found: 3, circle: 4 } as const;

export interface WireAction {
  kind: number;
  lines: number[];
}
export interface WireLocal {
  name: string;
  value: string;
}
export interface WireFrame {
  line: number;
  locals: WireLocal[];
  its: number[];
  gots: string[];
  lineBefore?: number;
}
export interface WireState {
  event: number;
  frames: WireFrame[];
  value?: string;
  hiddenFrames: number;
}
export interface WireSampling {
  temperature: number;
  topP: number;
  seed: number;
}
export interface WireProbability {
  event: number;
  line: number;
  locals: Record<string, number>;
  value?: number;
}
export interface WireTokens {
  cached: number;
  new: number;
  forced: number;
  drafted: number;
  accepted: number;
}
export interface WireAnswer {
  session: string;
  number: number;
  parent: number;
  action?: WireAction | null;
  state: WireState;
  function: string;
  functions: string[];
  sourceLine: string;
  origin: number;
  probability: WireProbability;
  tokens: WireTokens;
  queueMillis: number;
  computeMillis: number;
  preemptions: number;
  horizon: number;
  atEnd: boolean;
  atStart: boolean;
  mode: number;
  steps: WireStepOrigins;
  expectedHorizon: number;
}
export interface WireStepOrigins {
  model: number;
  cache: number;
}
export interface WireQueryRow {
  answer: WireAnswer;
  values: Record<string, string>;
  probability: number;
}
export interface WireQueryResult {
  session: string;
  from: number;
  columns: string[];
  rows: WireQueryRow[];
  end: number;
  truncated: boolean;
  nextPage: string;
  steps: WireStepOrigins;
  tokens: WireTokens;
  queueMillis: number;
  computeMillis: number;
  preemptions: number;
}
export interface WireQuery {
  session: string;
  from: number;
  valuesAt?: { name: string; line: number } | null;
  firstChange?: { name: string } | null;
  frameTable?: { names: string[] } | null;
  maxRows: number;
  maxSteps: number;
  page: string;
  priority: number;
  fresh: boolean;
  deadlineMillis: number;
}
export interface WireError {
  code: string;
  message: string;
  expected: string;
  actual: string;
  line: number;
  column: number;
  retryable: boolean;
  retryAfterMillis: number;
}
export interface WirePart {
  event?: number;
  line?: number;
  local?: WireLocal;
  deleted?: string;
  value?: string;
  probability: number;
}

export interface WireEvaluation {
  session: string;
  from: number;
  expression: string;
  value?: string;
  exception?: string;
  origin: number;
  probability: number;
  tokens: WireTokens;
  queueMillis: number;
  computeMillis: number;
  preemptions: number;
}
export interface WireCandidate {
  answer: WireAnswer;
  probability: number;
  consistent?: boolean | null;
  forwardProbability?: number | null;
}
export interface WireCandidateList {
  session: string;
  from: number;
  candidates: WireCandidate[];
  draws: number;
}

export interface WireRawAnswer {
  context: string;
  tokens: number[];
  length: number;
  counts: WireTokens;
  queueMillis: number;
  computeMillis: number;
  preemptions: number;
}

export interface ClientBodies {
  hello: { protocol: number; apiKey: string; client: string };
  openSession: {
    source: string;
    call: string;
    start?: WireState | null;
    sampling?: WireSampling | null;
    deadlineMillis: number;
  };
  act: {
    session: string;
    from: number;
    action?: WireAction | null;
    priority: number;
    fresh: boolean;
    mode?: number | null;
    maxSteps: number;
    stopAtExceptions: boolean;
    deadlineMillis: number;
  };
  edit: { session: string; from: number; locals: Record<string, string>; deleted: string[] };
  fork: { session: string; at: number };
  goto: { session: string; state: number };
  cancel: { target: number };
  closeSession: { session: string };
  describeSession: { session: string; after: number; maxStates: number };
  evaluate: {
    session: string;
    from: number;
    expression: string;
    priority: number;
    fresh: boolean;
    deadlineMillis: number;
  };
  candidates: {
    session: string;
    from: number;
    action?: WireAction | null;
    count: number;
    check: boolean;
    choose: boolean;
    priority: number;
    fresh: boolean;
    deadlineMillis: number;
  };
  query: WireQuery;
  rawOpen: { context: string; from: string; tokens: number[] };
  rawTurn: { context: string; tokens: number[]; generate: number; keep: boolean; priority: number };
}
export interface ServerBodies {
  welcome: {
    protocol: number;
    server: string;
    model: string;
    maxSourceBytes: number;
    maxContextTokens: number;
    pingMillis: number;
    maxMessageBytes: number;
  };
  sessionOpened: { session: string; start: WireAnswer; executableLines: number[]; programTokens: number };
  part: WirePart;
  answer: WireAnswer;
  sessionClosed: { session: string };
  error: WireError;
  sessionDescription: {
    session: string;
    current: number;
    states: WireAnswer[];
    truncated: boolean;
    source: string;
    call: string;
    executableLines: number[];
    programTokens: number;
  };
  cancelled: { target: number };
  evaluation: WireEvaluation;
  candidateList: WireCandidateList;
  step: WireAnswer;
  queryResult: WireQueryResult;
  rawContext: { context: string; length: number };
  rawPart: { tokens: number[] };
  rawAnswer: WireRawAnswer;
}

/** One message: its request number and exactly one body. */
type OneOf<Bodies> = {
  [Name in keyof Bodies]: { request: number; body: Name } & { [K in Name]: Bodies[K] };
}[keyof Bodies];

export type ClientMessage = OneOf<ClientBodies> & { idempotencyKey: string };
export type ServerMessage = OneOf<ServerBodies>;
export type ClientBodyName = keyof ClientBodies;
export type ServerBodyName = keyof ServerBodies;
