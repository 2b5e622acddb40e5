/** JSON over HTTP: every call of the protocol, and errors with their statuses. */
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { errorKinds } from '../../src/errors.js';
import { call, Gate, ServiceWorld, source, until } from '../support/service-world.js';

let world: ServiceWorld;
const gate = new Gate();

beforeEach(() => gate.open());
afterEach(async () => {
  gate.open();
  await world.assertNothingLeaked();
  await world.stop();
});

type Json = Record<string, unknown> & { error?: { code: string; expected: string; actual: string } };

async function ask(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: Json; response: Response }> {
  const response = await fetch(`${world.url}${path}`, {
    method,
    headers: body === undefined ? headers : { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: JSON.parse(text) as Json, response };
}

/** What comes for a text that is written to a connection, until that is closed. */
async function answerTo(text: string): Promise<string> {
  const { hostname, port } = new URL(world.url);
  const socket = connect(Number(port), hostname).setEncoding('utf8');
  socket.write(text);
  let said = '';
  for await (const piece of socket) said += piece;
  return said;
}

async function open(): Promise<string> {
  const opened = await ask('POST', '/v1/sessions', { source, call });
  expect(opened.status).toBe(200);
  return opened.body.session as string;
}

describe('calls', () => {
  beforeEach(async () => {
    world = await ServiceWorld.start({ fake: { pause: gate.pass } });
  });

  it('open, act, edit, fork, goto, describe, close', async () => {
    const session = await open();
    const path = `/v1/sessions/${session}`;
    const acted = await ask('POST', `${path}/act`, { action: { kind: 'STEP_INTO' } });
    expect(acted.status).toBe(200);
    expect(acted.body).toMatchObject({
      session,
      number: 2,
      parent: 1,
      origin: 'MODEL',
      action: { kind: 'STEP_INTO', lines: [] },
    });
    expect(acted.body.probability).toMatchObject({ event: expect.any(Number), line: expect.any(Number) });
    const broken = await ask('POST', `${path}/act`, {
      from: 1,
      action: { kind: 4, lines: [8] },
      priority: 'PRIORITY_BATCH',
    });
    expect(broken.body).toMatchObject({ number: 3, parent: 1, action: { kind: 'BREAKPOINT', lines: [8] } });
    const edited = await ask('POST', `${path}/edit`, { from: 1, locals: { numbers: '[9]' } });
    expect(edited.body).toMatchObject({ number: 4, origin: 'GIVEN', state: { event: 'CALL' } });
    const forked = await ask('POST', `${path}/fork`, { at: 2 });
    expect(forked.body).toMatchObject({ start: { number: 2 }, executableLines: [2, 3, 7, 8, 9, 10] });
    expect((await ask('POST', `${path}/goto`, { state: 1 })).body).toMatchObject({ number: 1 });
    const described = await ask('GET', path);
    expect(described.body).toMatchObject({ current: 1 });
    expect(described.body.states).toHaveLength(4);
    expect((await ask('DELETE', path)).body).toEqual({ session });
    expect((await ask('GET', path)).status).toBe(404);
    expect((await ask('GET', `/v1/sessions/${forked.body.session}`)).status).toBe(200);
  });

  it('status: health, ready, info, metrics', async () => {
    expect(await ask('GET', '/health')).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect(await ask('GET', '/ready')).toMatchObject({ status: 200, body: { ready: true } });
    expect((await ask('GET', '/v1/info')).body).toMatchObject({
      protocol: 1,
      engine: { device: 'fake' },
      limits: { maxSourceBytes: 262144, maxAnswerTokens: 64 },
    });
    const session = await open();
    await ask('POST', `/v1/sessions/${session}/act`, { action: { kind: 'STEP_OVER' } });
    await ask('GET', '/v1/sessions/none');
    await ask('GET', '/v2');
    const again = { from: 1, mode: 'MODE_JUMP', action: { kind: 'STEP_OVER' } };
    expect((await ask('POST', `/v1/sessions/${session}/act`, again)).body.origin).toBe('CACHE');
    const metrics = await (await fetch(`${world.url}/metrics`)).text();
    const figure = (name: string): number => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1]);
    expect(figure('foretrace_sessions')).toBe(1);
    expect(figure('foretrace_scheduler_requests_model_total')).toBe(1);
    expect(figure('foretrace_scheduler_tokens_generated_total')).toBeGreaterThan(2);
    expect(figure('foretrace_pool_total_pages')).toBe(2048);
    expect(figure('foretrace_pool_used_pages')).toBe(0);
    expect(metrics).toContain('foretrace_errors_total{code="unknown_session"} 1');
    expect(metrics).toContain('foretrace_errors_total{code="unknown_path"} 1');
    expect(figure('foretrace_trajectory_hits_total')).toBe(1);
    expect(figure('foretrace_answers_cache_total')).toBe(1);
    expect(figure('foretrace_answers_cache_share')).toBe(0.5);
    expect(figure('foretrace_trajectory_lookups_total')).toBe(2);
    expect(figure('foretrace_scheduler_store_evictions_total')).toBe(0);
    expect(metrics).toContain('# TYPE foretrace_pool_evictions_total counter');
  });

  it.each<[string, string, string, unknown, string]>([
    ['broken JSON', 'POST', '/v1/sessions', '{"source"', 'invalid_message'],
    ['no body', 'POST', '/v1/sessions', undefined, 'invalid_message'],
    ['an array', 'POST', '/v1/sessions', [], 'invalid_message'],
    ['an unknown field', 'POST', '/v1/sessions', { source, call, sauce: 1 }, 'invalid_message'],
    ['a number for a text', 'POST', '/v1/sessions', { source: 7, call }, 'invalid_message'],
    [
      'an unknown field inside',
      'POST',
      '/v1/sessions',
      { source, call, start: { evnt: 1 } },
      'invalid_message',
    ],
    ['Python that does not parse', 'POST', '/v1/sessions', { source: 'def', call }, 'invalid_python'],
    [
      'an unknown session',
      'POST',
      '/v1/sessions/none/act',
      { action: { kind: 'STEP_INTO' } },
      'unknown_session',
    ],
    ['a session with a long number', 'GET', `/v1/sessions/${'x'.repeat(5000)}`, undefined, 'unknown_session'],
    [
      'another session than that of the path',
      'POST',
      '/v1/sessions/a/fork',
      { session: 'b' },
      'invalid_message',
    ],
    ['a session that is a number', 'POST', '/v1/sessions/42/fork', { session: 42 }, 'invalid_message'],
    ['a WebSocket without an upgrade', 'GET', '/v1/socket', undefined, 'unknown_path'],
    ['an unknown path', 'GET', '/v2', undefined, 'unknown_path'],
    ['a path that cannot be decoded', 'GET', '/v1/sessions/%ff', undefined, 'unknown_path'],
    ['a number for a body', 'POST', '/v1/sessions/none/fork', '7', 'invalid_message'],
    ['a list for a body', 'POST', '/v1/sessions/none/fork', [], 'invalid_message'],
    [
      'a body too large',
      'POST',
      '/v1/sessions',
      { source: 'x'.repeat(2_000_000), call },
      'message_too_large',
    ],
  ])('errors: %s', async (_name, method, path, body, code) => {
    const answer = await ask(method, path, body);
    expect(answer.body.error?.code).toBe(code);
    expect(answer.status).toBe(errorKinds[code as keyof typeof errorKinds].status);
  });

  it('errors of a session: a wrong enum name, the past, a breakpoint, an action without kind', async () => {
    const session = await open();
    const act = (body: unknown) => ask('POST', `/v1/sessions/${session}/act`, body);
    expect((await act({ action: { kind: 'STEP_SIDEWAYS' } })).body.error?.code).toBe('invalid_message');
    expect((await act({ action: { kind: 'BREAKPOINT', lines: ['7'] } })).body.error?.code).toBe(
      'invalid_message',
    );
    expect((await act({ action: {} })).body.error?.code).toBe('invalid_action');
    expect((await act({ action: { kind: 'BREAKPOINT', lines: [1] } })).body.error?.code).toBe(
      'invalid_breakpoint',
    );
    expect(await act({ action: { kind: 'INV_CONTINUE' } })).toMatchObject({
      status: 409,
      body: { error: { code: 'past_start', expected: 'a forward action', actual: 'inv_continue' } },
    });
    expect((await ask('GET', `/v1/sessions/${session}`)).body).toMatchObject({ current: 1 });
  });

  it.each([
    [{}, 'text/plain;charset=UTF-8'],
    [{ 'content-type': 'application/x-www-form-urlencoded' }, 'application/x-www-form-urlencoded'],
  ])('a body that is not said to be JSON: %j', async (headers, actual) => {
    const body = JSON.stringify({ source, call });
    const response = await fetch(`${world.url}/v1/sessions`, { method: 'POST', headers, body });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { code: 'invalid_message', expected: 'Content-Type: application/json', actual },
    });
  });

  it.each<[string, object, string, string]>([
    ['Python', { source: 'def f(:\n', call: 'f()' }, 'invalid_python', ''],
    ['an argument', { source, call: 'total()' }, 'invalid_entry', 'total()'],
    [
      'a value',
      { source, call, start: { event: 'RETURN', frames: [{ line: 3, locals: [] }] } },
      'invalid_state',
      'no value',
    ],
    ['an event', { source, call, start: { frames: [] } }, 'invalid_state', 'event 0'],
    [
      'one value of a local, not two',
      {
        source,
        call,
        start: {
          event: 'LINE',
          frames: [{ line: 7, locals: Array(2).fill({ name: 'numbers', value: '1' }) }],
        },
      },
      'invalid_state',
      'numbers twice',
    ],
  ])('errors say what was expected and what came: %s', async (_name, body, code, actual) => {
    const { error } = (await ask('POST', '/v1/sessions', body)).body;
    expect(error?.code).toBe(code);
    expect(error?.expected).not.toBe('');
    expect(error?.actual).toContain(actual);
    expect(error?.actual).not.toBe('');
  });

  it('names that JavaScript treats specially are names', async () => {
    const named = (name: string) => ({
      source: `def f(${name}):\n    return ${name}\n`,
      call: 'f(...)',
      start: `{"event": "LINE", "frames": [{"line": 2, "locals": [{"name": "${name}", "value": "1"}]}]}`,
    });
    for (const name of ['__proto__', 'constructor', 'prototype']) {
      const { source, call, start } = named(name);
      const text = `{"source": ${JSON.stringify(source)}, "call": "${call}", "start": ${start}}`;
      const opened = await ask('POST', '/v1/sessions', text);
      expect(opened.status).toBe(200);
      const path = `/v1/sessions/${opened.body.session}`;
      const edited = await ask('POST', `${path}/edit`, `{"locals": {"${name}": "2"}}`);
      expect(edited.body).toMatchObject({ state: { frames: [{ locals: [{ name, value: '2' }] }] } });
      const refused = await ask('POST', `${path}/edit`, `{"${name}": {"prototype": {"toString": 1}}}`);
      expect(refused.body.error?.actual).toContain(name);
    }
    expect(Object.hasOwn(Object.prototype, 'toString')).toBe(true);
    expect(({} as Record<string, unknown>).prototype).toBeUndefined();
  });

  it.each<[string, string, number, string]>([
    ['no HTTP', 'garbage\r\n\r\n', 400, 'invalid_message'],
    ['another version', 'GET /health HTTP/9.9\r\n\r\n', 400, 'invalid_message'],
    [
      'headers too large',
      `GET /health HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      'message_too_large',
    ],
    ['a path too long', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431, 'message_too_large'],
  ])('errors: %s', async (_name, text, status, code) => {
    const said = await answerTo(text);
    expect(said).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    const [head = '', body = ''] = said.split('\r\n\r\n');
    expect(Number(/content-length: (\d+)/i.exec(head)?.[1])).toBe(Buffer.byteLength(body));
    expect(JSON.parse(body)).toMatchObject({ error: { code, expected: expect.stringContaining(' ') } });
    const metrics = await (await fetch(`${world.url}/metrics`)).text();
    expect(metrics).toContain(`foretrace_errors_total{code="${code}"} 1`);
  });

  it('a caller that hangs up cancels its request', async () => {
    const session = await open();
    gate.close();
    const controller = new AbortController();
    const asked = fetch(`${world.url}/v1/sessions/${session}/act`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"action": {"kind": "STEP_INTO"}}',
      signal: controller.signal,
    });
    await until(() => gate.held > 0);
    controller.abort();
    await expect(asked).rejects.toThrow();
    await until(() => world.scheduler.stats().endings.cancelled === 1);
  });
});

describe('limits', () => {
  it('keys', async () => {
    world = await ServiceWorld.start({ apiKeys: ['alpha'] });
    expect(await ask('POST', '/v1/sessions', { source, call })).toMatchObject({
      status: 401,
      body: { error: { code: 'unauthorized' } },
    });
    expect(
      (await ask('POST', '/v1/sessions', { source, call }, { authorization: 'Bearer beta' })).status,
    ).toBe(401);
    expect(
      (await ask('POST', '/v1/sessions', { source, call }, { authorization: 'Bearer alpha' })).status,
    ).toBe(200);
    expect((await ask('POST', '/v1/sessions', { sauce: 1 })).status).toBe(401);
    expect((await ask('POST', '/v1/sessions', '{"source"')).status).toBe(401);
    expect((await ask('POST', '/v1/sessions', 'x'.repeat(2_000_000))).status).toBe(401);
    expect((await ask('POST', '/v1/sessions/none/act', { sauce: 1 })).status).toBe(401);
    expect((await ask('GET', '/health')).status).toBe(200);
  });

  it('rate, with a header that says when', async () => {
    world = await ServiceWorld.start({ limits: { requestsPerMinute: 2 } });
    const statuses = [];
    for (let index = 0; index < 3; index += 1) statuses.push(await ask('GET', '/v1/sessions/none'));
    expect(statuses.map(({ status }) => status)).toEqual([404, 404, 429]);
    expect(Number(statuses[2]?.response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await ask('GET', '/health')).status).toBe(200);
  });

  it('rate, of which bodies that are not JSON take their part', async () => {
    world = await ServiceWorld.start({ limits: { requestsPerMinute: 2 } });
    const statuses = [];
    for (let index = 0; index < 3; index += 1) statuses.push(await ask('POST', '/v1/sessions', '{"source"'));
    expect(statuses.map(({ status }) => status)).toEqual([400, 400, 429]);
  });

  it('tokens of an answer', async () => {
    /** Most tokens generated for one of a few fixed questions. */
    const longest = async (maxAnswerTokens: number): Promise<number> => {
      world = await ServiceWorld.start({ limits: { maxAnswerTokens } });
      expect((await ask('GET', '/v1/info')).body).toMatchObject({ limits: { maxAnswerTokens } });
      const session = await open();
      let most = 0;
      for (const lines of [[2], [3], [8], [9], [10]]) {
        const before = world.scheduler.stats().tokens.generated;
        await ask('POST', `/v1/sessions/${session}/act`, { from: 1, action: { kind: 'BREAKPOINT', lines } });
        most = Math.max(most, world.scheduler.stats().tokens.generated - before);
      }
      return most;
    };
    expect(await longest(40)).toBeLessThanOrEqual(40);
    await world.stop();
    expect(await longest(200)).toBeGreaterThan(64);
  });

  it('sessions', async () => {
    world = await ServiceWorld.start({ limits: { maxSessions: 2 } });
    const first = await open();
    await open();
    expect(await ask('POST', '/v1/sessions', { source, call })).toMatchObject({
      status: 429,
      body: { error: { code: 'too_many_sessions' } },
    });
    expect((await ask('POST', `/v1/sessions/${first}/fork`, {})).status).toBe(429);
    await ask('DELETE', `/v1/sessions/${first}`);
    await open();
  });

  it('idle sessions expire', async () => {
    world = await ServiceWorld.start({ limits: { sessionIdleMillis: 20 } });
    const session = await open();
    await until(() => world.server.service.sessions.size === 0);
    expect((await ask('GET', `/v1/sessions/${session}`)).body.error?.code).toBe('unknown_session');
  });
});
