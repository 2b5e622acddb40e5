/** Who gives way when there is no room for all sessions. */
import { describe, expect, it } from 'vitest';
import { parseProgram } from '../../../src/debugger/program.js';
import { DebugSession } from '../../../src/session/debug-session.js';
import { SessionStore, type SessionStoreOptions } from '../../../src/session/session-store.js';
import { ScriptedService } from '../../support/scripted-service.js';

const program = parseProgram('def f(a):\n    return a\n', 'f(1)');
const access = { service: new ScriptedService(), modelDigest: 'm', maxContext: 512, maxAnswerTokens: 64 };
const sessionOf = (client: string, id: string): Promise<DebugSession> =>
  DebugSession.open(access, program, {
    id,
    client,
    sampling: { temperature: 0, topP: 1, seed: 0 },
    maxStates: 16,
  });

async function filled(options: Partial<SessionStoreOptions>, ...names: string[]): Promise<SessionStore> {
  const store = new SessionStore({
    maxSessions: names.length,
    idleMillis: 60_000,
    graceMillis: 0,
    ...options,
  });
  for (const name of names) store.add(await sessionOf(name.slice(0, 1), name));
  return store;
}
const heldOf = (store: SessionStore, ...names: string[]): string[] => names.filter((name) => store.has(name));

describe('when all places are taken', () => {
  it('the client with the most sessions gives way, with the one it has not used for the longest time', async () => {
    const names = ['b1', 'a1', 'a2', 'a3', 'c1'];
    const store = await filled({}, ...names);
    store.get('a1');
    store.add(await sessionOf('d', 'd1'));
    expect(heldOf(store, ...names, 'd1')).toEqual(['b1', 'a1', 'a3', 'c1', 'd1']);
    store.add(await sessionOf('a', 'a4'));
    expect(heldOf(store, ...names, 'a4', 'd1')).toEqual(['b1', 'a1', 'c1', 'a4', 'd1']);
  });

  it('nobody who opens and leaves takes the place of the others', async () => {
    const store = await filled({ maxSessions: 10 }, 'b1', 'c1', 'd1');
    for (let index = 0; index < 100; index += 1) store.add(await sessionOf('a', `a${index}`));
    expect(heldOf(store, 'b1', 'c1', 'd1')).toEqual(['b1', 'c1', 'd1']);
    expect(store.size).toBe(10);
  });

  it('a session in use stays, and so do all that were used a moment ago', async () => {
    const store = await filled({}, 'a1', 'a2', 'b1');
    await store.use(store.get('a1'), async () => {
      store.add(await sessionOf('c', 'c1'));
      expect(heldOf(store, 'a1', 'a2', 'b1', 'c1')).toEqual(['a1', 'b1', 'c1']);
    });
    const calm = await filled({ graceMillis: 60_000 }, 'a1', 'a2', 'b1');
    expect(() => calm.assertRoom()).toThrow(/limit of open sessions/);
    expect(calm.size).toBe(3);
  });

  it('what is given back is counted as free', async () => {
    const store = await filled({}, 'a1', 'a2', 'b1');
    for (const id of ['a1', 'a2', 'b1']) store.close(id);
    expect([store.size, store.bytes]).toEqual([0, 0]);
  });
});
