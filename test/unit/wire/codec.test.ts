import fc from 'fast-check';
import protobuf from 'protobufjs';
import { describe, expect, it } from 'vitest';
import { ForetraceError } from '../../../src/errors.js';
import {
  clientBodyFromJson,
  decodeClientMessage,
  decodeServerMessage,
  encodeClientMessage,
  encodeServerMessage,
  schema,
  serverBodyToJson,
} from '../../../src/wire/codec.js';
import { errorToWire, samplingFromWire } from '../../../src/wire/convert.js';
import type { ClientBodies, ServerBodies } from '../../../src/wire/messages.js';
import { clientBodies, serverBodies, text, uint32 } from '../../support/wire-bodies.js';

describe('messages come back as they went', () => {
  it.each(Object.entries(clientBodies))('%s', (name, arbitrary) => {
    fc.assert(
      fc.property(uint32, arbitrary as fc.Arbitrary<object>, text, (request, body, idempotencyKey) => {
        const bytes = encodeClientMessage(request, name as keyof ClientBodies, body, idempotencyKey);
        expect(decodeClientMessage(bytes)).toEqual({ request, idempotencyKey, body: name, [name]: body });
      }),
    );
  });

  it.each(Object.entries(serverBodies))('%s', (name, arbitrary) => {
    fc.assert(
      fc.property(uint32, arbitrary as fc.Arbitrary<object>, (request, body) => {
        const bytes = encodeServerMessage(request, name as keyof ServerBodies, body as never);
        const decoded = decodeServerMessage(bytes) as unknown as Record<string, unknown>;
        expect(decoded).toMatchObject({ request, body: name, [name]: body });
      }),
      { numRuns: 50 },
    );
  });

  it('fills in what is absent', () => {
    expect(decodeClientMessage(encodeClientMessage(1, 'act', { session: 's' }))).toEqual({
      request: 1,
      idempotencyKey: '',
      body: 'act',
      act: {
        session: 's',
        from: 0,
        action: null,
        priority: 0,
        fresh: false,
        maxSteps: 0,
        stopAtExceptions: false,
        deadlineMillis: 0,
      },
    });
  });

  it('keeps a local with a name that JavaScript treats specially', () => {
    const locals = Object.fromEntries([
      ['__proto__', '1'],
      ['constructor', '2'],
    ]);
    const decoded = decodeClientMessage(encodeClientMessage(1, 'edit', { session: 's', locals }));
    expect(decoded.body === 'edit' && Object.entries(decoded.edit.locals)).toEqual(Object.entries(locals));
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });
});

/** Anything but a coded error is a defect. */
function decodesOrRefuses(bytes: Uint8Array): void {
  try {
    const message = decodeClientMessage(bytes);
    expect(typeof message.request).toBe('number');
    expect(Object.keys(clientBodies)).toContain(message.body);
  } catch (error) {
    expect(error).toBeInstanceOf(ForetraceError);
    expect((error as ForetraceError).code).toBe('invalid_message');
    expect((error as ForetraceError).details.expected).toBeTruthy();
  }
}

describe('bytes that nobody should send', () => {
  const valid = fc.oneof(
    ...Object.entries(clientBodies).map(([name, arbitrary]) =>
      (arbitrary as fc.Arbitrary<object>).map((body) =>
        encodeClientMessage(3, name as keyof ClientBodies, body),
      ),
    ),
  );

  it('random ones', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 400 }), decodesOrRefuses), { numRuns: 3000 });
  });

  it('truncated ones', () => {
    fc.assert(
      fc.property(valid, fc.double({ min: 0, max: 1, noNaN: true }), (bytes, share) => {
        decodesOrRefuses(bytes.subarray(0, Math.floor(bytes.length * share)));
      }),
      { numRuns: 1000 },
    );
  });

  it('changed ones', () => {
    fc.assert(
      fc.property(
        valid,
        fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 4 }),
        (bytes, changes) => {
          const copy = bytes.slice();
          for (const [at, value] of changes) copy[at % copy.length] = value;
          decodesOrRefuses(copy);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('lengths beyond the end, endless varints, endless groups', () => {
    const field = (number: number, wire: number): number => (number << 3) | wire;
    expect(() => decodeClientMessage(Uint8Array.of(field(3, 2), 0xff, 0xff, 0xff, 0xff, 0x0f))).toThrow(
      ForetraceError,
    );
    expect(() => decodeClientMessage(new Uint8Array(64).fill(0xff))).toThrow(ForetraceError);
    expect(() => decodeClientMessage(new Uint8Array(1 << 20).fill(field(15, 3)))).toThrow(ForetraceError);
    expect(() => decodeClientMessage(new Uint8Array(0))).toThrow(ForetraceError);
    expect(() => decodeClientMessage(encodeServerMessage(1, 'sessionClosed', { session: 'x' }))).not.toThrow(
      TypeError,
    );
  });

  it('and values that do not fit are refused before they are sent', () => {
    expect(() => encodeClientMessage(1, 'fork', { session: 7 as never })).toThrow(ForetraceError);
    expect(() => encodeClientMessage(-1.5, 'fork', { session: 's' })).toThrow(ForetraceError);
  });

  it.each<[string, keyof ClientBodies, object, number]>([
    ['act.from', 'act', { from: 2 ** 33 }, 2 ** 33],
    ['act.action.lines', 'act', { action: { kind: 4, lines: [3, 2 ** 32 + 2] } }, 2 ** 32 + 2],
    ['query.deadlineMillis', 'query', { deadlineMillis: -1 }, -1],
    ['rawOpen.tokens', 'rawOpen', { tokens: [-7] }, -7],
    [
      'openSession.start.frames.line',
      'openSession',
      { start: { event: 1, frames: [{ line: 4_294_967_303 }] } },
      4_294_967_303,
    ],
  ])('nor is a number that does not fit into %s sent as another', (name, body, content, actual) => {
    expect(() => encodeClientMessage(1, body, content)).toThrow(
      expect.objectContaining({
        code: 'invalid_message',
        message: `${name} is out of range`,
        details: { expected: 'a whole number from 0 to 4294967295', actual: String(actual) },
      }),
    );
    expect(() => encodeClientMessage(2 ** 32, body, {})).toThrow(ForetraceError);
  });
});

describe('JSON', () => {
  it.each(Object.entries(clientBodies))('of %s comes back as it went', (name, arbitrary) => {
    fc.assert(
      fc.property(arbitrary as fc.Arbitrary<object>, (body) => {
        expect(clientBodyFromJson(name as keyof ClientBodies, JSON.parse(JSON.stringify(body)))).toEqual(
          body,
        );
      }),
      { numRuns: 50 },
    );
  });

  it('takes enum values by name and by number, and null as absent', () => {
    const byName = clientBodyFromJson('act', {
      session: 's',
      action: { kind: 'BREAKPOINT', lines: [3] },
      priority: 'PRIORITY_BATCH',
    });
    expect(byName).toMatchObject({ action: { kind: 4, lines: [3] }, priority: 1 });
    expect(
      clientBodyFromJson('act', {
        session: 's',
        action: { kind: 4, lines: [3] },
        priority: null,
        from: null,
      }),
    ).toMatchObject({ priority: 0, from: 0 });
  });

  it.each<[string, keyof ClientBodies, unknown, string]>([
    ['a text', 'act', 'x', 'JSON object'],
    ['an unknown field', 'act', { sesion: 's' }, 'session'],
    ['a field of Object.prototype', 'act', { toString: 1 }, 'session'],
    ['a text for a number', 'act', { from: '1' }, 'whole number'],
    ['a negative number', 'act', { from: -1 }, 'whole number'],
    ['a fraction', 'act', { from: 1.5 }, 'whole number'],
    ['a large number', 'act', { from: 2 ** 32 }, 'whole number'],
    ['a number for a text', 'act', { session: 1 }, 'string'],
    ['a number for a boolean', 'act', { fresh: 1 }, 'true or false'],
    ['an unknown name', 'act', { action: { kind: 'JUMP' } }, 'STEP_INTO'],
    ['a number no enum can have', 'act', { mode: 2 ** 32 + 1 }, 'MODE_JUMP'],
    ['an object for a list', 'act', { action: { lines: {} } }, 'array'],
    ['a wrong item', 'act', { action: { lines: [1, 'x'] } }, 'whole number'],
    ['a list for a map', 'edit', { locals: [] }, 'JSON object'],
    ['a number in a map', 'edit', { locals: { x: 1 } }, 'string'],
    ['half a character', 'act', { session: 'a\uD800' }, 'whole characters'],
    ['half a character in a map', 'edit', { locals: { x: '\uDC00' } }, 'whole characters'],
    ['half a character as a key', 'edit', { locals: { '\uD83D': '1' } }, 'whole characters'],
    ['a text for a float', 'openSession', { sampling: { temperature: 'hot' } }, 'number'],
  ])('refuses %s', (_name, body, json, expected) => {
    try {
      clientBodyFromJson(body, json);
    } catch (error) {
      expect(error).toBeInstanceOf(ForetraceError);
      expect((error as ForetraceError).code).toBe('invalid_message');
      expect((error as ForetraceError).details.expected).toContain(expected);
      return;
    }
    throw new Error('it was accepted');
  });

  it('takes characters outside the first plane, which two units stand for', () => {
    const locals = { '\u{1F600}': "'\u{1F600}'" };
    expect(clientBodyFromJson('edit', { locals })).toMatchObject({ locals });
  });

  it('of any value gives a body or a coded error', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...(Object.keys(clientBodies) as (keyof ClientBodies)[])),
        fc.jsonValue(),
        (name, json) => {
          try {
            clientBodyFromJson(name, json);
          } catch (error) {
            expect(error).toBeInstanceOf(ForetraceError);
          }
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('for people names enum values', () => {
    const body = {
      session: 's',
      current: 1,
      states: [{ state: { event: 2, frames: [], hiddenFrames: 0 }, origin: 4 } as never],
      truncated: false,
      source: '',
      call: '',
      executableLines: [],
      programTokens: 0,
    };
    expect(serverBodyToJson('sessionDescription', body)).toMatchObject({
      states: [{ state: { event: 'LINE' }, origin: 'GIVEN' }],
    });
  });
});

it('JSON for people has fields of the schema only', () => {
  const onlyFields = (type: protobuf.Type, json: object): void => {
    for (const [name, value] of Object.entries(json)) {
      const field = type.fields[name]?.resolve();
      expect(field, `${type.name}.${name}`).toBeDefined();
      const { resolvedType } = field as protobuf.Field;
      if (!(resolvedType instanceof protobuf.Type)) continue;
      for (const item of Array.isArray(value) ? value : [value]) if (item) onlyFields(resolvedType, item);
    }
  };
  const message = schema.lookupType('foretrace.v1.ServerMessage');
  for (const [name, arbitrary] of Object.entries(serverBodies)) {
    const type = message.fields[name]?.resolve().resolvedType as protobuf.Type;
    const property = fc.property(arbitrary as fc.Arbitrary<object>, (body) =>
      onlyFields(type, serverBodyToJson(name as keyof ServerBodies, body as never)),
    );
    fc.assert(property, { numRuns: 20 });
  }
});

it('errors that are cut short are still well formed', () => {
  const error = new ForetraceError('invalid_message', 'x', {
    actual: '\u{1F600}'.repeat(700),
    expected: '\uD800',
  });
  const content = errorToWire(error);
  const decoded = decodeServerMessage(encodeServerMessage(1, 'error', content));
  expect(decoded.body === 'error' && decoded.error).toEqual(content);
  expect(content.actual).toHaveLength(1_000);
});

it('sampling is the same over both transports', () => {
  const sampling = { temperature: 0.7, topP: 0.9, seed: 3 };
  const framed = decodeClientMessage(encodeClientMessage(1, 'openSession', { sampling }));
  const posted = clientBodyFromJson('openSession', { sampling });
  if (framed.body !== 'openSession') throw new Error(`decoded as ${framed.body}`);
  expect(samplingFromWire(posted.sampling)).toEqual(samplingFromWire(framed.openSession.sampling));
});

it('the schema uses only types that have a JSON reader', () => {
  const known = new Set(['string', 'bool', 'uint32', 'float', 'double']);
  const types = Object.values((schema.lookup('foretrace.v1') as protobuf.Namespace).nested ?? {}).filter(
    (item) => item instanceof protobuf.Type,
  );
  expect(types.length).toBeGreaterThan(20);
  for (const type of types) {
    for (const field of type.fieldsArray) {
      if (!field.resolve().resolvedType)
        expect(known.has(field.type), `${type.name}.${field.name}`).toBe(true);
    }
  }
});
