import { describe, expect, it } from 'vitest';
import { entryState } from '../../../../src/debugger/entry.js';
import { grammarOf } from '../../../../src/debugger/language/grammar.js';
import { parseProgram } from '../../../../src/debugger/program.js';
import { currentFrame, type DebuggerState } from '../../../../src/debugger/state.js';
import { CwmDialect } from '../../../../src/dialects/cwm/dialect.js';
import { frameTokens } from '../../../../src/dialects/cwm/prompt.js';
import { Vocabulary } from '../../../../src/dialects/cwm/vocabulary.js';
import { greedy } from '../../../../src/scheduler/request.js';
import { askModel, type ModelAccess } from '../../../../src/session/ask-model.js';
import { editedState } from '../../../../src/session/edit.js';
import { stateKey } from '../../../../src/trajectory/index.js';
import { CwmOracle } from '../../../support/cwm-oracle.js';
import { cwmTokenizer, cwmTokens } from '../../../support/cwm-tokenizer.js';
import { RandomService } from '../../../support/random-service.js';
import { ScriptedService } from '../../../support/scripted-service.js';
import { trueRuns } from '../../../support/true-runs.js';

const vocabulary = new Vocabulary(cwmTokenizer, cwmTokens);
const { special } = vocabulary;
const source = 'def add(a, b):\n    c = a + b\n    return c\n\ndef f(x):\n    y = add(x, 1)\n    return y\n';
const program = parseProgram(source, 'f(2)');
const entry = entryState(program) as DebuggerState;

const accessTo = (service: ModelAccess['service'], more: Partial<ModelAccess> = {}): ModelAccess => ({
  service,
  modelDigest: 'm',
  maxContext: 100_000,
  maxAnswerTokens: 2000,
  dialect: new CwmDialect(vocabulary),
  ...more,
});
const ask = (access: ModelAccess, state: DebuggerState | null, kind = 'step_into' as const, of = program) =>
  askModel(access, {
    program: of,
    grammar: grammarOf(of),
    state,
    action: { kind, lines: [] },
    sampling: greedy,
    client: 'test',
    priority: 'interactive',
    fresh: false,
  });

/** Prompts as people read them: delimiters by their names. */
const names = new Map(Object.entries(special).map(([name, id]) => [id, `<${name}>`]));
const read = (tokens: Iterable<number>): string =>
  [...tokens].map((token) => names.get(token) ?? (vocabulary.textOf(token) || '\n')).join('');

const beginning = `<begin><context>\n${source}def main():  # << START_OF_TRACE\n    return f(2)\n<frame><call>{}<action>def main():\n<frame><line>{}<action>    return f(2)\n<frame>`;
const lineOf = (event: 'call' | 'line', line: string, locals: Record<string, string>): number[] =>
  frameTokens(vocabulary, { event, line, locals: new Map(Object.entries(locals)) });

describe('a prompt', () => {
  it('is the program, a main function, and the frames up to the state', async () => {
    const service = new ScriptedService();
    service.script.push(lineOf('line', '    y = add(x, 1)', { x: '..' }));
    const { delta } = await ask(accessTo(service), entry);
    const { prompt, sharedTokens } = service.requests[0] as (typeof service.requests)[0];
    expect(read(prompt)).toBe(`${beginning}<call>{"x": "2"}<action>def f(x):\n<frame>`);
    expect(read(prompt.slice(0, sharedTokens))).toBe(beginning);
    expect(delta.state).toMatchObject({ event: 'line', hiddenFrames: 0 });
    expect(currentFrame(delta.state)).toEqual({ line: 6, locals: new Map([['x', '2']]), its: [], gots: [] });
  });

  it('goes on in the tokens that were written, however these were cut', async () => {
    const service = new ScriptedService();
    // The grammar lets every way to cut a text pass; here each character stands alone.
    const loose = [...'{"x": "2"}'].map((character) => vocabulary.encode(character)[0] as number);
    const written = [special.line, ...loose, ...lineOf('line', '    y = add(x, 1)', {}).slice(2)];
    service.script.push(written, lineOf('call', 'def add(a, b):', { a: '2', b: '1' }));
    const access = accessTo(service);
    const first = await ask(access, entry);
    const second = await ask(access, first.delta.state);
    const [before, after] = service.requests.map(({ prompt }) => [...prompt]);
    expect(after).toEqual([...(before ?? []), ...written]);
    expect(second.delta.state.frames.map(({ line }) => line)).toEqual([6, 1]);
    expect(second.delta).toMatchObject({ popped: 0, pushed: 1, changed: ['a', 'b'] });
  });

  it('shows a state that no way has led to by how each of its frames was called and where it stands', async () => {
    const service = new ScriptedService();
    service.script.push(lineOf('line', '    return c', { a: '2', b: '1', c: '3' }));
    const frames = [
      { line: 6, locals: new Map([['x', '2']]), its: [], gots: [] },
      {
        line: 2,
        locals: new Map([
          ['a', '2'],
          ['b', '"é'],
        ]),
        its: [],
        gots: [],
      },
    ];
    await ask(accessTo(service), { event: 'line', frames, hiddenFrames: 0 });
    expect(read(service.requests[0]?.prompt ?? [])).toBe(
      `${beginning}<call>{"x": "2"}<action>def f(x):\n<frame><line>{"x": "2"}<action>    y = add(x, 1)\n<frame>` +
        '<call>{"a": "2", "b": "\\"\\u00e9"}<action>def add(a, b):\n<frame><line>{"a": "2", "b": "\\"\\u00e9"}<action>    c = a + b\n<frame>',
    );
  });

  it('forgets the way of a state that was edited, and one that has become too long', async () => {
    const service = new ScriptedService();
    const step = lineOf('line', '    y = add(x, 1)', { x: '..' });
    const call = lineOf('call', 'def add(a, b):', { a: '2', b: '1' });
    service.script.push(step, call, call);
    const { delta } = await ask(accessTo(service), entry);
    const edited = editedState(program, delta.state, new Map([['x', '3']]), []);
    expect(stateKey(delta.state)).not.toBe(stateKey({ ...delta.state, trail: { key: 'other', bytes: 0 } }));
    await ask(accessTo(service), edited);
    expect(read(service.requests[1]?.prompt ?? [])).toContain('<call>{"x": "3"}<action>def f(x):');
    const full = [...(service.requests[0]?.prompt ?? [])].length + step.length + 2000;
    await ask(accessTo(service, { maxContext: full - 1 }), delta.state);
    expect(read(service.requests[2]?.prompt ?? [])).toContain(
      '<line>{"x": "2"}<action>    y = add(x, 1)\n<frame>',
    );
  });

  it('has a main function whose name the program does not have', async () => {
    const own = parseProgram('def main(x):\n    return x\n', 'main(1)');
    const service = new ScriptedService();
    service.script.push(lineOf('line', '    return x', { x: '..' }));
    await ask(accessTo(service), entryState(own), 'step_into', own);
    expect(read(service.requests[0]?.prompt ?? [])).toContain(
      'def main_():  # << START_OF_TRACE\n    return main(1)\n',
    );
  });
});

describe('an answer', () => {
  it('has the probability of each part', async () => {
    const service = new ScriptedService();
    service.probability = 0.5;
    const counting = parseProgram('def f(x):\n    y = x\n    return y\n', 'f(2)');
    const start = entryState(counting) as DebuggerState;
    const shown = '{"x": "..", "y": "2"}';
    const json = vocabulary.encode(shown);
    const starts = json.map((_, at) => read(json.slice(0, at)).length);
    const x = starts.filter((start) => start < shown.indexOf('"y"')).length;
    const y = json.length - x;
    const line = vocabulary.encode('    return y\n').length;
    service.script.push(lineOf('line', '    return y', { x: '..', y: '2' }));
    const at = { ...start, event: 'line' as const, frames: [{ ...currentFrame(start), line: 2 }] };
    const { delta, probability } = await ask(accessTo(service), at, 'step_into', counting);
    const { event, line: ofLine, locals } = delta.probability;
    expect(event).toBeCloseTo(0.5);
    // The delimiters before and behind a line count for it.
    expect(ofLine).toBeCloseTo(0.5 ** (line + 2));
    expect(locals.get('x')).toBeCloseTo(0.5 ** x);
    expect(locals.get('y')).toBeCloseTo(0.5 ** y);
    expect(probability).toBeCloseTo(0.5 ** (1 + x + y + line + 2));
    expect(delta.changed).toEqual(['y']);
  });

  it('jumps from a call to its return, and nowhere else', async () => {
    const service = new ScriptedService();
    service.script.push(
      frameTokens(vocabulary, { event: 'return', line: '    return y', locals: new Map(), value: '3' }),
    );
    const { delta } = await ask(accessTo(service), entry, 'step_return' as never);
    expect(delta.state).toMatchObject({ event: 'return', value: '3' });
    const { data, state } = service.requests[0]?.constraint as {
      data: { edgeStart: Int32Array; edgeToken: Int32Array };
      state: number;
    };
    const first = [...data.edgeToken.slice(data.edgeStart[state], data.edgeStart[state + 1])];
    expect(first).toEqual([special.return]);
    for (const kind of ['step_over', 'continue', 'inv_step_into'])
      await expect(ask(accessTo(service), entry, kind as never)).rejects.toMatchObject({
        code: 'invalid_action',
      });
  });

  it('leaves a frame that was hidden as deep as it is', async () => {
    const service = new ScriptedService();
    service.script.push(lineOf('line', '    return y', { x: '2', y: '3' }));
    const frames = [{ line: 3, locals: new Map([['c', '3']]), its: [], gots: [] }];
    const { delta } = await ask(accessTo(service), { event: 'return', value: '3', frames, hiddenFrames: 1 });
    expect([delta.state.hiddenFrames, delta.state.frames.length]).toEqual([0, 1]);
    expect(currentFrame(delta.state).locals).toEqual(
      new Map([
        ['x', '2'],
        ['y', '3'],
      ]),
    );
  });

  it('tells what is gone, and has no value for what was not there and is said to be as it was', async () => {
    const deleting = parseProgram('def f(x):\n    z = x\n    del z\n    return x\n', 'f(2)');
    const service = new ScriptedService();
    service.script.push(
      lineOf('line', '    del z', { x: '..', z: '..' }),
      lineOf('line', '    return x', { x: '..' }),
    );
    const access = accessTo(service);
    const at = (line: number, ...locals: [string, string][]): DebuggerState => ({
      event: 'line',
      frames: [{ line, locals: new Map([['x', '2'], ...locals]), its: [], gots: [] }],
      hiddenFrames: 0,
    });
    const unbound = await ask(access, at(2), 'step_into', deleting);
    expect(currentFrame(unbound.delta.state).locals).toEqual(new Map([['x', '2']]));
    const parts: unknown[] = [];
    const gone = await askModel(access, {
      program: deleting,
      grammar: grammarOf(deleting),
      state: at(3, ['z', '2']),
      action: { kind: 'step_into', lines: [] },
      sampling: greedy,
      client: 'test',
      priority: 'interactive',
      fresh: false,
      onPart: (part) => parts.push(part),
    });
    expect(gone.delta.changed).toEqual(['z']);
    expect(parts).toContainEqual({ kind: 'local', name: 'z', value: '', deleted: true, probability: 1 });
  });

  it('is refused where the entry hides its arguments, and where not even the shortest frame fits', async () => {
    const service = new ScriptedService();
    const hiding = parseProgram(source, 'f(...)');
    await expect(ask(accessTo(service), null, 'step_into', hiding)).rejects.toMatchObject({
      code: 'hidden_arguments',
    });
    const names = Array.from({ length: 30 }, (_, index) => `a_name_of_some_length_${index}`);
    const long = parseProgram(
      `def f(${names.join(', ')}):\n    return 1\n`,
      `f(${names.map(() => 1).join(', ')})`,
    );
    const access = accessTo(service, { maxAnswerTokens: 200 });
    await expect(ask(access, entryState(long), 'step_into', long)).rejects.toMatchObject({
      code: 'context_too_long',
    });
    const frames = Array.from({ length: 9 }, () => ({
      line: 6,
      locals: new Map([['x', `'${'a'.repeat(45_000)}'`]]),
      its: [],
      gots: [],
    }));
    await expect(ask(accessTo(service), { event: 'line', frames, hiddenFrames: 0 })).rejects.toMatchObject({
      code: 'context_too_long',
    });
    expect(service.requests).toEqual([]);
  });

  it('is the next line of those that read alike', async () => {
    const twice = parseProgram('def f(x):\n    x += 1\n    x += 1\n    return x\n', 'f(1)');
    const service = new ScriptedService();
    const line = lineOf('line', '    x += 1', { x: '2' });
    service.script.push(line, line);
    const access = accessTo(service);
    const first = await ask(access, entryState(twice), 'step_into', twice);
    const second = await ask(access, first.delta.state, 'step_into', twice);
    expect([first, second].map(({ delta }) => currentFrame(delta.state).line)).toEqual([2, 3]);
  });
});

describe('the grammar', () => {
  it.each(trueRuns)('lets the run $name pass', async (run) => {
    const access = accessTo(new CwmOracle(vocabulary, run));
    let state = run.states[0] as DebuggerState;
    for (const truth of run.states.slice(1)) {
      ({ state } = (await ask(access, state, 'step_into', run.program)).delta);
      expect([state.event, state.value, state.frames.length]).toEqual([
        truth.event,
        truth.value,
        truth.frames.length,
      ]);
      const [here, there] = [currentFrame(state), currentFrame(truth)];
      expect(here.line).toBe(there.line);
      if (state.event === 'call' || state.event === 'line') expect(here.locals).toEqual(there.locals);
    }
  });

  it('makes a state of whatever a model of random weights writes', async () => {
    for (let seed = 0; seed < 30; seed += 1) {
      const service = new RandomService(() => seed);
      const access = accessTo(service, { maxAnswerTokens: 300 });
      let state = entry;
      for (let step = 0; step < 8 && !(state.event === 'return' && state.frames.length === 1); step += 1) {
        ({ state } = (await ask(access, state)).delta);
        expect(program.scopeOf(state)).toBeDefined();
        expect(() => editedState(program, state, new Map(), [])).not.toThrow();
      }
    }
  });
});
