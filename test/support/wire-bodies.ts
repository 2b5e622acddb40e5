/** Random bodies of every message, as fast-check makes them. */
import fc from 'fast-check';
import type { ClientBodies, ServerBodies } from '../../src/wire/messages.js';

export const uint32 = fc.integer({ min: 0, max: 0xffffffff });
export const text = fc.string({ unit: 'grapheme', maxLength: 12 });
const action = fc.record({
  kind: fc.integer({ min: 0, max: 12 }),
  lines: fc.array(uint32, { maxLength: 4 }),
});
const state = fc.record(
  {
    event: fc.integer({ min: 0, max: 4 }),
    frames: fc.array(
      fc.record(
        {
          line: uint32,
          locals: fc.array(fc.record({ name: text, value: text }), { maxLength: 3 }),
          its: fc.array(uint32, { maxLength: 3 }),
          gots: fc.array(text, { maxLength: 3 }),
          lineBefore: uint32,
        },
        { requiredKeys: ['line', 'locals', 'its', 'gots'] },
      ),
      { maxLength: 3 },
    ),
    value: text,
    hiddenFrames: uint32,
  },
  { requiredKeys: ['event', 'frames', 'hiddenFrames'] },
);
const probability = fc.double({ min: 0, max: 1, noNaN: true }).map((value) => value + 0);
const tokens = fc.record({ cached: uint32, new: uint32, forced: uint32, drafted: uint32, accepted: uint32 });
const answer = fc.record({
  session: text,
  number: uint32,
  parent: uint32,
  action,
  state,
  function: text,
  functions: fc.array(text, { maxLength: 3 }),
  sourceLine: text,
  origin: fc.integer({ min: 0, max: 4 }),
  probability: fc.record({
    event: probability,
    line: probability,
    locals: fc.dictionary(text, probability, { noNullPrototype: true }),
    value: probability,
  }),
  tokens,
  queueMillis: probability,
  computeMillis: probability,
  preemptions: uint32,
  horizon: uint32,
  atEnd: fc.boolean(),
  atStart: fc.boolean(),
  mode: fc.integer({ min: 0, max: 1 }),
  steps: fc.record({ model: uint32, cache: uint32 }),
  expectedHorizon: probability,
});

const evaluated = {
  session: text,
  from: uint32,
  expression: text,
  origin: fc.integer({ min: 0, max: 4 }),
  probability,
  tokens,
  queueMillis: probability,
  computeMillis: probability,
  preemptions: uint32,
};

const queried = {
  valuesAt: fc.constant(null),
  firstChange: fc.constant(null),
  frameTable: fc.constant(null),
  session: text,
  from: uint32,
  maxRows: uint32,
  maxSteps: uint32,
  page: text,
  priority: fc.integer({ min: 0, max: 1 }),
  fresh: fc.boolean(),
  deadlineMillis: uint32,
};

export const clientBodies: { [Name in keyof ClientBodies]: fc.Arbitrary<ClientBodies[Name]> } = {
  hello: fc.record({ protocol: uint32, apiKey: text, client: text }),
  openSession: fc.record({
    source: text,
    call: text,
    start: state,
    sampling: fc.record({
      temperature: fc.constantFrom(0, 0.5, 2),
      topP: fc.constantFrom(0, 0.25, 1),
      seed: uint32,
    }),
    deadlineMillis: uint32,
  }),
  act: fc.record({
    session: text,
    from: uint32,
    action,
    priority: fc.integer({ min: 0, max: 1 }),
    fresh: fc.boolean(),
    mode: fc.integer({ min: 0, max: 2 }),
    maxSteps: uint32,
    stopAtExceptions: fc.boolean(),
    deadlineMillis: uint32,
  }),
  edit: fc.record({
    session: text,
    from: uint32,
    locals: fc.dictionary(text, text, { noNullPrototype: true }),
    deleted: fc.array(text),
  }),
  fork: fc.record({ session: text, at: uint32 }),
  goto: fc.record({ session: text, state: uint32 }),
  cancel: fc.record({ target: uint32 }),
  closeSession: fc.record({ session: text }),
  describeSession: fc.record({ session: text, after: uint32, maxStates: uint32 }),
  evaluate: fc.record({
    session: text,
    from: uint32,
    expression: text,
    priority: fc.integer({ min: 0, max: 1 }),
    fresh: fc.boolean(),
    deadlineMillis: uint32,
  }),
  candidates: fc.record({
    session: text,
    from: uint32,
    action,
    count: uint32,
    check: fc.boolean(),
    choose: fc.boolean(),
    priority: fc.integer({ min: 0, max: 1 }),
    fresh: fc.boolean(),
    deadlineMillis: uint32,
  }),
  query: fc.oneof(
    fc.record({ ...queried, valuesAt: fc.record({ name: text, line: uint32 }) }),
    fc.record({ ...queried, firstChange: fc.record({ name: text }) }),
    fc.record({ ...queried, frameTable: fc.record({ names: fc.array(text) }) }),
  ),
  rawOpen: fc.record({ context: text, from: text, tokens: fc.array(uint32) }),
  rawTurn: fc.record({
    context: text,
    tokens: fc.array(uint32),
    generate: uint32,
    keep: fc.boolean(),
    priority: fc.integer({ min: 0, max: 1 }),
  }),
};
export const serverBodies: { [Name in keyof ServerBodies]: fc.Arbitrary<ServerBodies[Name]> } = {
  welcome: fc.record({
    protocol: uint32,
    server: text,
    model: text,
    maxSourceBytes: uint32,
    maxContextTokens: uint32,
    pingMillis: probability,
    maxMessageBytes: uint32,
  }),
  sessionOpened: fc.record({
    session: text,
    start: answer,
    executableLines: fc.array(uint32),
    programTokens: uint32,
  }),
  part: fc.oneof(
    fc.record({ event: fc.integer({ min: 1, max: 4 }), probability }),
    fc.record({ line: uint32, probability }),
    fc.record({ local: fc.record({ name: text, value: text }), probability }),
    fc.record({ deleted: text, probability }),
    fc.record({ value: text, probability }),
  ),
  answer,
  step: answer,
  queryResult: fc.record({
    session: text,
    from: uint32,
    columns: fc.array(text),
    rows: fc.array(
      fc.record({ answer, values: fc.dictionary(text, text, { noNullPrototype: true }), probability }),
      { maxLength: 2 },
    ),
    end: fc.integer({ min: 0, max: 4 }),
    truncated: fc.boolean(),
    nextPage: text,
    steps: fc.record({ model: uint32, cache: uint32 }),
    tokens,
    queueMillis: probability,
    computeMillis: probability,
    preemptions: uint32,
  }),
  evaluation: fc.oneof(
    fc.record({ ...evaluated, value: text }),
    fc.record({ ...evaluated, exception: text }),
  ),
  candidateList: fc.record({
    session: text,
    from: uint32,
    candidates: fc.array(
      fc.oneof(
        fc.record({ answer, probability, consistent: fc.boolean(), forwardProbability: probability }),
        fc.record({ answer, probability }),
      ),
      { maxLength: 3 },
    ),
    draws: uint32,
  }),
  rawContext: fc.record({ context: text, length: uint32 }),
  rawPart: fc.record({ tokens: fc.array(uint32) }),
  rawAnswer: fc.record({
    context: text,
    tokens: fc.array(uint32),
    length: uint32,
    counts: tokens,
    queueMillis: probability,
    computeMillis: probability,
    preemptions: uint32,
  }),
  sessionClosed: fc.record({ session: text }),
  error: fc.record({
    code: text,
    message: text,
    expected: text,
    actual: text,
    line: uint32,
    column: uint32,
    retryable: fc.boolean(),
    retryAfterMillis: probability,
  }),
  sessionDescription: fc.record({
    session: text,
    current: uint32,
    states: fc.array(answer, { maxLength: 3 }),
    truncated: fc.boolean(),
    source: text,
    call: text,
    executableLines: fc.array(uint32),
    programTokens: uint32,
  }),
  cancelled: fc.record({ target: uint32 }),
};
