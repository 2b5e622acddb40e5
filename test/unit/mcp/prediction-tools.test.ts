import { describe, expect, it, vi } from 'vitest';
import type { RequestOptions } from '../../../src/client/client.js';
import { ForetraceError } from '../../../src/errors.js';
import { actionNumbers, eventNumbers, modeNumbers, originNumbers } from '../../../src/wire/messages.js';
import { agentOver, at, program } from '../../support/mcp-service.js';
import { local } from '../../support/shown-answer.js';

describe('what is offered', () => {
  it('are tools that change nothing, each with its arguments described', async () => {
    const { agent } = await agentOver();
    const tools = await agent.tools();
    expect(tools.map(({ name }) => name)).toEqual([
      'predict_call',
      'predict_line',
      'start_debugging',
      'act',
      'evaluate',
      'candidates',
      'set_locals',
      'go_to',
      'stop_debugging',
      'values_at',
      'first_change',
      'frame_table',
    ]);
    for (const { annotations, inputSchema, description } of tools) {
      expect(annotations).toMatchObject({ readOnlyHint: true, openWorldHint: false });
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(description).toMatch(/\.$/);
    }
    for (const name of tools.map((tool) => tool.name).filter((tool) => tool.startsWith('predict')))
      expect(agent.instructions).toContain(name);
  });

  it('refuses arguments that a tool does not have, or lacks', async () => {
    const { agent, open } = await agentOver();
    expect(await agent.call('predict_call', { ...program, lines: [1] })).toMatchObject({ isError: true });
    expect((await agent.call('predict_call', { source: 'x' })).text).toContain('call');
    expect((await agent.call('act', { session: 's1', action: 'jump' })).text).toContain('step_over');
    expect(open).not.toHaveBeenCalled();
  });
});

describe('predict_call', () => {
  it('shows the last state, of a text or a file, and keeps no session', async () => {
    const act = vi.fn(async () => at(2, 'return', 3, { value: '7' }));
    const { agent, open, closeSession } = await agentOver({ act });
    const { text, isError } = await agent.call('predict_call', { file: 'a.py', call: 'f(7)', mode: 'walk' });
    expect(isError).toBe(false);
    expect(text).toMatch(/^#2 return in f, line 3 .*-> 7/);
    expect(text).toContain('25 %  n = 7');
    expect(open).toHaveBeenCalledWith({ source: '# a.py', call: 'f(7)' }, expect.anything());
    const action = { kind: actionNumbers.continue, lines: [] };
    expect(act).toHaveBeenCalledWith(
      { session: 'session 1', from: 0, action, mode: modeNumbers.walk, maxSteps: 256 },
      expect.anything(),
    );
    expect(act).toHaveBeenCalledOnce();
    expect(closeSession).toHaveBeenCalledWith('session 1');
  });

  it('tells a call that an exception leaves from one that returns None, where the run was walked', async () => {
    const end = { ...at(2, 'return', 3, { value: 'None' }), mode: modeNumbers.walk };
    const exception = at(3, 'exception', 3, { value: 'KeyError(1)' });
    const raised = vi
      .fn()
      .mockResolvedValueOnce(end)
      .mockResolvedValueOnce({ ...exception, origin: originNumbers.derived });
    const { text } = await (await agentOver({ act: raised })).agent.call('predict_call', {
      ...program,
      mode: 'walk',
    });
    expect(raised).toHaveBeenLastCalledWith(
      expect.objectContaining({ mode: modeNumbers.auto }),
      expect.anything(),
    );
    // What the model thinks may have been before is no proof.
    const guessed = vi.fn().mockResolvedValueOnce(end).mockResolvedValueOnce(exception);
    const guess = await (await agentOver({ act: guessed })).agent.call('predict_call', program);
    expect(guess.text).not.toContain('exception');
    const jumped = vi.fn().mockResolvedValueOnce({ ...end, mode: modeNumbers.jump });
    await (await agentOver({ act: jumped })).agent.call('predict_call', program);
    expect(jumped).toHaveBeenCalledOnce();
    expect(text).toMatch(/-> None.*\n.*\nleft by an exception:\n#3 exception .*KeyError\(1\)/s);
    const returned = vi
      .fn()
      .mockResolvedValueOnce(end)
      .mockResolvedValueOnce(at(3, 'line', 3));
    const other = await (await agentOver({ act: returned })).agent.call('predict_call', program);
    expect(other.text).not.toContain('exception');
  });

  it('closes its session also where it fails, and says why with a code', async () => {
    const { agent, closeSession } = await agentOver({
      act: async () => {
        throw new ForetraceError('walk_too_long', 'in a circle', { expected: 'an end' });
      },
    });
    const { text, isError } = await agent.call('predict_call', program);
    expect(text).toBe('walk_too_long: in a circle (expected an end)');
    expect(isError).toBe(true);
    expect(closeSession).toHaveBeenCalledOnce();
  });

  it.each([
    [{ call: 'f(7)' }, 'neither'],
    [{ ...program, file: 'a.py' }, 'both'],
  ])('wants one program: %j', async (given, found) => {
    const { text, isError } = await (await agentOver()).agent.call('predict_call', given);
    expect(text).toMatch(new RegExp(`^invalid_message: .*expected file or source; found ${found}`));
    expect(isError).toBe(true);
  });

  it('starts at a given state', async () => {
    const { agent, open } = await agentOver({ act: async () => at(2, 'return', 3, { value: '1' }) });
    const given = { event: 'line', line: 2, locals: { n: '1' } };
    await agent.call('predict_call', { ...program, start: given });
    const frames = [{ line: 2, locals: [local('n', '1')], its: [], gots: [] }];
    expect(open).toHaveBeenCalledWith(
      { ...program, start: { event: eventNumbers.line, frames, hiddenFrames: 0 } },
      expect.anything(),
    );
    expect((await agent.call('predict_call', { ...program, start: { line: 2 } })).text).toMatch(
      /^invalid_state/,
    );
  });

  it('stops where the agent cancels', async () => {
    let stopped = false;
    const act = (_body: object, { signal }: RequestOptions) =>
      new Promise((_resolve, reject) =>
        signal?.addEventListener('abort', () => {
          stopped = true;
          reject(new ForetraceError('cancelled', 'the request was cancelled'));
        }),
      );
    const { agent, closeSession } = await agentOver({ act });
    const controller = new AbortController();
    const called = agent.call('predict_call', program, controller.signal);
    setTimeout(() => controller.abort(), 20);
    await expect(called).rejects.toThrow();
    await vi.waitFor(() => expect(closeSession).toHaveBeenCalledOnce());
    expect(stopped).toBe(true);
  });
});

describe('predict_line', () => {
  it('shows every hit whole, and where the run goes then', async () => {
    const act = vi
      .fn()
      .mockResolvedValueOnce(at(2, 'line', 3))
      .mockResolvedValueOnce(at(3, 'line', 3))
      .mockResolvedValueOnce(at(4, 'return', 5, { value: '1' }));
    const { agent } = await agentOver({ act });
    const { text, isError } = await agent.call('predict_line', { ...program, line: 3 });
    expect(text.match(/n = 7/g)).toHaveLength(3);
    expect(text).toMatch(/#2 line.*#3 line.*no further hit:\n#4 return/s);
    expect(isError).toBe(false);
  });

  it('stops after as many hits as were asked for', async () => {
    const act = vi.fn(async () => at(2, 'line', 3));
    const { agent } = await agentOver({ act });
    await agent.call('predict_line', { ...program, line: 3, hits: 2 });
    expect(act).toHaveBeenCalledTimes(2);
  });

  it('says where a line is never reached', async () => {
    const { agent } = await agentOver({ act: async () => at(2, 'return', 5, { value: '1' }) });
    const { text } = await agent.call('predict_line', { ...program, line: 3 });
    expect(text).toMatch(/^the line is not reached:\n#2 return/);
  });
});
