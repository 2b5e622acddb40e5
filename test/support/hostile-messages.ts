/** Messages of the right shape with the wrong content, made up at random. */
import fc from 'fast-check';
import { actionNumbers, type ClientBodies, type ClientBodyName } from '../../src/wire/messages.js';
import { call, source } from './service-world.js';

const stepInto = { kind: actionNumbers.step_into, lines: [] };

/** Numbers at the edges of what a field can hold, and texts that are none. */
const edge = fc.constantFrom(0, 1, 2, 3, 7, 8, 64, 255, 256, 1025, 65_535, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1);
const odd = fc.constantFrom(
  ...[
    '',
    ' ',
    '\0',
    '__proto__',
    'constructor',
    'n',
    'numbers',
    'found',
    '1',
    "'a'",
    '\u{1F600}',
    '\u202E',
    '\uFFFD',
  ],
  ...['f'.repeat(5000), '((((', '[[1, 2', '<|call|>', '\n\n', 'é'.repeat(300), '1e999', '-', '0x'],
);
const wireAction = fc.record({
  kind: fc.oneof(fc.nat(11), fc.constantFrom(12, 2 ** 31 - 1)),
  lines: fc.array(edge, { maxLength: 4 }),
});
const frame = fc.record({
  line: fc.oneof(fc.nat(11), edge),
  locals: fc.array(fc.record({ name: odd, value: odd }), { maxLength: 3 }),
  its: fc.array(edge, { maxLength: 2 }),
  gots: fc.array(odd, { maxLength: 2 }),
});
const state = fc.record({
  event: fc.nat(5),
  frames: fc.array(frame, { maxLength: 3 }),
  hiddenFrames: edge,
  value: odd,
});
const float = fc.constantFrom(0, 0.5, 1, 10, 11, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e-40, 3e38);
const asked = { from: edge, priority: fc.nat(3), fresh: fc.boolean(), deadlineMillis: edge };

/** One message, mostly about the given session. */
export function hostileMessages(session: string): fc.Arbitrary<readonly [ClientBodyName, object]> {
  const at = fc.oneof({ arbitrary: fc.constant(session), weight: 8 }, { arbitrary: odd, weight: 1 });
  const named = <Name extends ClientBodyName>(
    name: Name,
    fields: { [Key in keyof ClientBodies[Name]]?: fc.Arbitrary<unknown> },
  ) => fc.record(fields as Record<string, fc.Arbitrary<unknown>>).map((body) => [name, body] as const);
  return fc.oneof(
    named('openSession', {
      source: fc.oneof(fc.constant(source), odd),
      call: fc.oneof(fc.constantFrom(call, 'total(...)', 'total(x)', 'double(10 ** 99)'), odd),
      start: fc.option(state),
      sampling: fc.record({ temperature: float, topP: float, seed: edge }),
      deadlineMillis: edge,
    }),
    named('openSession', {
      source: fc.constant(source),
      call: fc.constant(call),
      start: fc.option(state),
      deadlineMillis: fc.constant(0),
    }),
    named('act', {
      session: at,
      ...asked,
      action: wireAction,
      mode: fc.nat(3),
      maxSteps: fc.constantFrom(1, 3, 2000),
      stopAtExceptions: fc.boolean(),
    }),
    named('act', {
      session: fc.constant(session),
      from: fc.constant(1),
      action: fc.constant(stepInto),
      maxSteps: fc.constant(1),
      deadlineMillis: fc.constant(0),
    }),
    named('edit', {
      session: at,
      from: edge,
      locals: fc.dictionary(odd, odd, { maxKeys: 3 }),
      deleted: fc.array(odd, { maxLength: 2 }),
    }),
    named('fork', { session: at, at: edge }),
    named('goto', { session: at, state: edge }),
    named('cancel', { target: edge }),
    named('closeSession', { session: odd }),
    named('describeSession', { session: at, after: edge, maxStates: edge }),
    named('evaluate', { session: at, ...asked, expression: odd }),
    named('candidates', {
      session: at,
      ...asked,
      action: wireAction,
      count: fc.constantFrom(0, 1, 2, 17, 2 ** 32 - 1),
      check: fc.boolean(),
      choose: fc.boolean(),
    }),
    named('query', {
      session: at,
      ...asked,
      firstChange: fc.record({ name: odd }),
      maxRows: edge,
      maxSteps: fc.constantFrom(1, 3, 2000),
      page: odd,
    }),
    named('query', {
      session: at,
      ...asked,
      frameTable: fc.record({ names: fc.array(odd, { maxLength: 3 }) }),
      maxRows: edge,
      maxSteps: fc.constantFrom(1, 3),
      page: fc.constant(''),
    }),
    named('rawOpen', { context: odd, from: odd, tokens: fc.array(edge) }),
    named('rawTurn', {
      context: odd,
      tokens: fc.array(edge),
      generate: edge,
      keep: fc.boolean(),
      priority: fc.nat(3),
    }),
    named('hello', { protocol: edge, apiKey: odd, client: odd }),
  );
}
