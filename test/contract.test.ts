/** The contracts that are written down more than once, held together: error codes, wire messages, documentation. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type protobuf from 'protobufjs';
import { describe, expect, it } from 'vitest';
import { actionKinds } from '../src/debugger/action.js';
import { eventKinds } from '../src/debugger/state.js';
import { errorKinds } from '../src/errors.js';
import { schema } from '../src/wire/codec.js';
import {
  actionNumbers,
  eventNumbers,
  modeNumbers,
  originNumbers,
  priorityNumbers,
  queryEndNumbers,
} from '../src/wire/messages.js';

const root = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

describe('error codes', () => {
  const documented = [
    ...read('docs/protocol.md').matchAll(/^\| `([a-z_]+)` \| (\d+) \| (yes|no) \| (.+) \|$/gm),
  ];

  it('are the same in the table and in docs/protocol.md', () => {
    const fromDocs = documented.map(([, code, status, retryable, meaning]) => ({
      code,
      status: Number(status),
      retryable: retryable === 'yes',
      meaning,
    }));
    const fromTable = Object.entries(errorKinds).map(([code, kind]) => ({ code, ...kind }));
    const byCode = (a: { code: string | undefined }, b: { code: string | undefined }): number =>
      (a.code ?? '').localeCompare(b.code ?? '');
    expect(fromDocs.sort(byCode)).toEqual(fromTable.sort(byCode));
  });

  it('of native code are all in the table', () => {
    const source = readdirSync(join(root, 'native/core'))
      .filter((name) => name.startsWith('error'))
      .map((name) => read(`native/core/${name}`))
      .join('\n');
    const codes = [...source.matchAll(/"([a-z]+(?:_[a-z]+)+|internal)"/g)].map(([, code]) => code as string);
    expect(codes.length).toBeGreaterThan(3);
    expect(codes.filter((code) => !Object.hasOwn(errorKinds, code))).toEqual([]);
  });
});

describe('the Node.js it needs', () => {
  const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };

  it('is the same everywhere, and what the locked packages need', async () => {
    const lock = JSON.parse(read('package-lock.json')) as {
      packages: Record<string, { engines?: { node?: string } }>;
    };
    expect(lock.packages['']?.engines).toEqual(engines);
    expect(engines.node).toBe('^20.19.0 || >=22.12.0');
    expect(read('README.md')).toContain('Node.js 20.19 or newer (of 22: 22.12 or newer)');
    const versions = Object.values(lock.packages).flatMap(({ engines: of }) =>
      [...(of?.node ?? '').matchAll(/\^20\.(\d+)\.\d+/g)].map(([, minor]) => Number(minor)),
    );
    expect(Math.max(...versions)).toBe(19);
  });

  it('is looked at before anything is installed', async () => {
    const tools = new URL('../scripts/tools.mjs', import.meta.url).href;
    const { isInRange } = (await import(tools)) as {
      isInRange: (version: string, range: string) => boolean;
    };
    const fits = (version: string): boolean => isInRange(version, engines.node);
    expect(['20.19.0', '20.20.2', '22.12.0', '23.0.0', '24.1.0'].filter((one) => !fits(one))).toEqual([]);
    expect(['18.20.1', '20.12.2', '20.18.3', '21.7.3', '22.11.0'].filter(fits)).toEqual([]);
  });
});

describe('wire enums', () => {
  const values = (name: string): Record<string, number> => schema.lookupEnum(`foretrace.v1.${name}`).values;
  const upper = (table: Readonly<Record<string, number>>, prefix = ''): Record<string, number> =>
    Object.fromEntries(Object.entries(table).map(([name, number]) => [prefix + name.toUpperCase(), number]));

  it('number actions, events, origins and priorities alike', () => {
    expect(values('ActionKind')).toEqual({ ACTION_UNSPECIFIED: 0, ...upper(actionNumbers) });
    expect(values('EventKind')).toEqual({ EVENT_UNSPECIFIED: 0, ...upper(eventNumbers) });
    expect(values('Origin')).toEqual({ ORIGIN_UNSPECIFIED: 0, ...upper(originNumbers) });
    expect(values('Priority')).toEqual(upper(priorityNumbers, 'PRIORITY_'));
    expect(values('Mode')).toEqual(upper(modeNumbers, 'MODE_'));
    expect(values('QueryEnd')).toEqual(upper(queryEndNumbers, 'QUERY_'));
    expect(Object.keys(actionNumbers)).toEqual([...actionKinds]);
    expect(Object.keys(eventNumbers)).toEqual([...eventKinds]);
  });
});

describe('wire messages', () => {
  /** Field names of the interfaces of src/wire/messages.ts, read from its text: `name: {...}` bodies and `interface X {...}`. */
  const text = read('src/wire/messages.ts');
  const fieldsOf = (body: string): string[] =>
    [...body.matchAll(/(\w+)\??:\s/g)].map(([, name]) => name as string).sort();
  const interfaceBody = (name: string): string =>
    new RegExp(`interface ${name} \\{([^}]*)\\}`).exec(text)?.[1] ?? '';
  const schemaFields = (name: string): string[] =>
    Object.keys(schema.lookupType(`foretrace.v1.${name}`).fields).sort();

  it.each([
    ['Action', 'WireAction'],
    ['Local', 'WireLocal'],
    ['Frame', 'WireFrame'],
    ['State', 'WireState'],
    ['Sampling', 'WireSampling'],
    ['FieldProbability', 'WireProbability'],
    ['TokenCounts', 'WireTokens'],
    ['Answer', 'WireAnswer'],
    ['Error', 'WireError'],
    ['Part', 'WirePart'],
    ['Evaluation', 'WireEvaluation'],
    ['Candidate', 'WireCandidate'],
    ['CandidateList', 'WireCandidateList'],
    ['StepOrigins', 'WireStepOrigins'],
    ['QueryRow', 'WireQueryRow'],
    ['QueryResult', 'WireQueryResult'],
    ['RawAnswer', 'WireRawAnswer'],
  ])('%s has the fields of %s', (message, type) => {
    expect(fieldsOf(interfaceBody(type).replace(/Record<string, \w+>/g, 'R'))).toEqual(schemaFields(message));
  });

  it('bodies are those of the schema', () => {
    const bodies = (name: string): string[] =>
      schema.lookupType(`foretrace.v1.${name}`).oneofs.body?.oneof ?? [];
    const section = (name: string): string =>
      text.slice(
        text.indexOf(`interface ${name} {`),
        text.indexOf('\n}', text.indexOf(`interface ${name} {`)),
      );
    const names = (name: string): string[] =>
      [...section(name).matchAll(/^ {2}(\w+):/gm)].map(([, field]) => field as string);
    expect(names('ClientBodies').sort()).toEqual(bodies('ClientMessage').sort());
    expect(names('ServerBodies').sort()).toEqual(bodies('ServerMessage').sort());
  });

  it('name nothing that protobuf cannot carry in a JavaScript number', () => {
    const wide =
      schema.lookup('foretrace.v1')?.toJSON() &&
      JSON.stringify((schema.lookup('foretrace.v1') as protobuf.Namespace).toJSON()).match(
        /"type":"[a-z]*64"/g,
      );
    expect(wide).toBeNull();
  });
});
