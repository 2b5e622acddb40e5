import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { command, jsonLines, outcome, start, startInTerminal } from '../support/command.js';
import { call, engine, programFolder, source } from '../support/debugged-program.js';
import { Gate, ServiceWorld, until } from '../support/service-world.js';

const { folder, program } = programFolder();

const debug = (script: string, ...more: string[]) =>
  command('debug', program, '--call', call, ...engine, '--script', script, ...more);

describe('debug', () => {
  it('prints a well-formed state a line and ends with 0', async () => {
    const run = await debug('step_into; breakpoint 4; locals; back; inv_step_into', '--json');
    expect(run.err).toBe('');
    expect(run.code).toBe(0);
    const states = jsonLines(run);
    expect(states.map(({ action }) => action)).toEqual([
      'start',
      'step_into',
      'breakpoint',
      'step_into',
      'inv_step_into',
    ]);
    expect(states[0]).toMatchObject({
      event: 'call',
      line: 1,
      origin: 'given',
      locals: { numbers: '[1, 2]' },
    });
    for (const state of states) {
      expect(state).toMatchObject({
        event: expect.stringMatching(/^(call|line|return|exception)$/),
        source: source.split('\n')[Number(state.line) - 1],
        probability: { event: expect.any(Number), line: expect.any(Number) },
        tokens: { cached: expect.any(Number), new: expect.any(Number), forced: expect.any(Number) },
      });
      expect('value' in state).toBe(state.event === 'return' || state.event === 'exception');
    }
  });

  it('shows people where they are', async () => {
    const run = await debug('n; where; list; p numbers; set numbers = [7]; locals; states; help');
    expect(run.code).toBe(0);
    expect(run.out).toContain('#1 call in total, line 1 (given)');
    expect(run.out).toMatch(/-> total, line \d: /);
    expect(run.out).toMatch(/^-> {4}\d {2}/m);
    expect(run.out).toContain('numbers = [7]');
    expect(run.out).toContain('step_into');
  });

  it('prints values and candidates a line each', async () => {
    const run = await debug(
      'p numbers; evaluate len(numbers) + 1; step_into; candidates 3 inv_step_into check; goto 3',
      '--json',
    );
    expect(run.err).toBe('');
    expect(run.code).toBe(0);
    const lines = jsonLines(run);
    expect(lines[1]).toMatchObject({ expression: 'numbers', value: '[1, 2]', origin: 'derived', state: 1 });
    expect(lines[2]).toMatchObject({
      expression: 'len(numbers) + 1',
      origin: 'model',
      tokens: { drafted: expect.any(Number) },
    });
    expect('value' in (lines[2] ?? {})).toBe(!('exception' in (lines[2] ?? {})));
    const candidates = lines.slice(4, -1);
    expect(candidates.length).toBeGreaterThan(0);
    candidates.forEach((line, index) => {
      expect(line).toMatchObject({
        candidate: index + 1,
        candidates: candidates.length,
        action: 'inv_step_into',
        parent: 2,
        state: index + 3,
        answer_probability: expect.any(Number),
      });
    });
    expect(lines.at(-1)).toMatchObject({ state: 3, action: 'inv_step_into' });
    const text = await debug('p len(numbers); candidates 2 s; p nobody');
    expect(text.out).toMatch(/ {2}\(\d+ %, model\)\n/);
    expect(text.out).toMatch(/^ *\d+ % {2}#2 /m);
    expect(text.out).toContain('invalid_expression: ');
    expect(text.code).toBe(1);
  });

  it('starts at a given state, which an entry with hidden arguments needs', async () => {
    const asked = (...more: string[]) =>
      command(
        'debug',
        program,
        '--call',
        'total(...)',
        ...engine,
        '--json',
        '--script',
        'inv_continue',
        ...more,
      );
    const refused = await asked();
    expect([refused.code, refused.err.includes('hidden_arguments')]).toEqual([1, true]);
    const end = { event: 'return', line: 5, locals: { numbers: '[1]', found: '1' }, value: '1' };
    const run = await asked('--start', JSON.stringify(end));
    expect(run.err).toBe('');
    expect(jsonLines(run)).toMatchObject([
      { ...end, origin: 'given' },
      { event: 'call', at_start: true },
    ]);
    const wrong = await asked('--start', '{"event": "line"}');
    expect([wrong.code, wrong.err.includes('invalid_state')]).toEqual([1, true]);
  });

  it('reads UTF-8 with or without its mark, and refuses anything else', async () => {
    const other = join(folder, 'other.py');
    writeFileSync(other, `\ufeff# é\n${source}`);
    const asked = () => command('debug', other, '--call', call, ...engine, '--script', 'list');
    expect((await asked()).out).toContain('   1  # é\n');
    writeFileSync(other, Buffer.from(`# é\n${source}`, 'latin1'));
    const refused = await asked();
    expect([refused.code, refused.err.includes('unreadable_file')]).toEqual([1, true]);
  });

  it('ends a script at an error, with 1', async () => {
    const run = await debug('step_into; breakpoint 99; step_into', '--json');
    expect(run.code).toBe(1);
    const lines = jsonLines(run);
    expect(lines).toHaveLength(3);
    expect(lines[2]).toMatchObject({
      command: 'breakpoint 99',
      error: { code: 'invalid_breakpoint', expected: expect.any(String) },
    });
  });

  it('reads commands from standard input; an empty line repeats the last action, an error is no end', async () => {
    const child = start('debug', program, '--call', call, ...engine, '--json');
    const run = await outcome(child, '\nrs\n\n  \nset numbers = [3]\n\nq\nn\n');
    expect(run.code).toBe(0);
    const lines = jsonLines(run);
    const seen = lines.map(({ action, error }) => action ?? (error as { code: string }).code);
    expect(seen).toEqual(['start', 'past_start', 'past_start', 'past_start', 'edit', 'past_start']);
  });

  it('takes the end of its input for `quit`', async () => {
    const run = await outcome(start('debug', program, '--call', call, ...engine, '--json'), 's');
    expect([run.code, jsonLines(run).length]).toEqual([0, 2]);
  });
});

describe('Ctrl-C in a debug session', () => {
  it('stops a running request, and at the prompt ends the session', async () => {
    const gate = new Gate();
    const world = await ServiceWorld.start({ fake: { pause: gate.pass }, apiKeys: ['alpha'] });
    const child = start(
      'debug',
      program,
      '--call',
      call,
      '--json',
      '--connect',
      world.socketUrl,
      '--api-key',
      'alpha',
    );
    let out = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    const lines = (): number => out.split('\n').length - 1;
    const ended = new Promise((resolve) => child.once('close', resolve));
    await until(() => lines() === 1);
    gate.close();
    child.stdin?.write('s\n');
    await until(() => gate.held > 0);
    child.kill('SIGINT');
    await until(() => lines() === 2);
    expect(JSON.parse(out.split('\n')[1] ?? '')).toMatchObject({
      command: 's',
      error: { code: 'cancelled' },
    });
    gate.open();
    child.stdin?.write('s\n');
    await until(() => lines() === 3);
    expect(JSON.parse(out.split('\n')[2] ?? '')).toMatchObject({ state: 2, action: 'step_into' });
    child.kill('SIGINT');
    expect(await ended).toBe(0);
    await world.assertNothingLeaked();
    await world.stop();
  });
});

describe('a key pressed in a terminal', () => {
  const gate = new Gate();
  let world: ServiceWorld;
  let child: ReturnType<typeof startInTerminal>;
  let out = '';
  let ended: Promise<number | null>;
  beforeEach(async () => {
    gate.open();
    world = await ServiceWorld.start({ fake: { pause: gate.pass } });
    child = startInTerminal('debug', program, '--call', call, '--connect', world.socketUrl);
    out = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    ended = new Promise((resolve) => child.once('close', resolve));
    await until(() => out.includes('(foretrace) '));
  });
  afterEach(async () => {
    child.kill('SIGKILL');
    gate.open();
    await world.assertNothingLeaked();
    await world.stop();
  });

  it.each(['s\n', 'mode walk\nc\n', 'table\n'])('Ctrl-D ends the session while %j runs', async (keys) => {
    gate.close();
    child.stdin?.write(keys);
    await until(() => gate.held > 0);
    child.stdin?.write('\x04');
    expect(await ended).toBe(0);
    expect(out).toContain('cancelled');
  });

  it.each(['s\n\x04', 'table\n\x03', 's\ns\ns\n\x04'])('%j in one piece ends it at once', async (keys) => {
    child.stdin?.write(keys);
    expect(await ended).toBe(0);
  });

  it('Ctrl-C stops what runs, and the prompt is there again', async () => {
    gate.close();
    child.stdin?.write('table\n');
    await until(() => gate.held > 0);
    child.stdin?.write('\x03');
    await until(() => out.includes('cancelled'));
    gate.open();
    child.stdin?.write('s\n');
    await until(() => out.includes('#2 '));
    child.stdin?.write('\x03');
    expect(await ended).toBe(0);
  });
});
