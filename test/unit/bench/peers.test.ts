/** Drivers of peers: which sequence a turn gets, and what is sent to llama-server and read from it, with a server that the test scripts. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { llamaServerAt } from '../../../bench/peers/llama-server.mjs';
import { Slots } from '../../../bench/peers/slots.mjs';
import { drive } from '../../../src/bench/agents/driver.js';
import { closeCrew, rawCrew } from '../../../src/bench/agents/run.js';

describe('slots', () => {
  it('give a turn the sequence that holds its context, else the one idle for longest', async () => {
    const slots = new Slots(['a', 'b', 'c']);
    const used = async (context: string): Promise<string> => slots.use(context, async (handle) => handle);
    expect([await used('x'), await used('y'), await used('z')]).toEqual(['a', 'b', 'c']);
    expect([await used('y'), await used('x'), await used('z')]).toEqual(['b', 'a', 'c']);
    expect(await used('new')).toBe('b');
    expect(await used('y')).toBe('a');
  });

  it('let a turn wait while all are busy, and are given back by a turn that fails', async () => {
    const slots = new Slots(['only']);
    const log: string[] = [];
    let release = (): void => undefined;
    const first = slots.use('x', () => new Promise<void>((resolve) => (release = resolve)));
    const failing = slots.use('x', async () => {
      log.push('failing');
      throw new Error('no');
    });
    const last = slots.use('x', async (handle) => {
      log.push(handle);
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(log).toEqual([]);
    release();
    await first;
    await expect(failing).rejects.toThrow('no');
    await last;
    expect(log).toEqual(['failing', 'only']);
  });
});

describe('llama-server', () => {
  let server: Server;
  const bodies: { prompt: number[]; n_predict: number; cache_prompt: boolean; temperature: number }[] = [];

  async function scripted(answer: (body: string) => { status: number; text: string }): Promise<string> {
    bodies.length = 0;
    server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      bodies.push(JSON.parse(body));
      const { status, text } = answer(body);
      response.writeHead(status, { 'content-type': 'text/event-stream' });
      // In pieces that end anywhere.
      for (let at = 0; at < text.length; at += 7) response.write(text.slice(at, at + 7));
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  afterEach(() => void server.close());

  it('gets whole prompts as tokens, and its tokens are counted as it counts them', async () => {
    const events = [
      { content: 'a' },
      { content: 'b' },
      { content: '', stop: true, timings: { predicted_n: 5 } },
    ];
    const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
    const peer = llamaServerAt(await scripted(() => ({ status: 200, text })));
    const workload = { context: 6, contexts: 2, append: 3, generate: 5, vocabSize: 97, seed: 1 };
    const crew = await rawCrew(peer.connect, workload, 3);
    const { samples, failures } = await drive(crew.agents, { turns: 2, random: () => 0.5 });
    await closeCrew(crew);
    expect(failures).toEqual([]);
    expect(samples.map(({ generated }) => generated)).toEqual(Array(6).fill(5));
    for (const { firstMillis, millis } of samples) expect(firstMillis).toBeLessThanOrEqual(millis);
    expect(bodies).toHaveLength(6);
    const contexts = new Set<string>();
    for (const { prompt, n_predict, cache_prompt, temperature } of bodies) {
      expect(prompt).toHaveLength(9);
      expect({ n_predict, cache_prompt, temperature }).toEqual({
        n_predict: 5,
        cache_prompt: true,
        temperature: 0,
      });
      contexts.add(prompt.slice(0, 6).join());
    }
    expect(contexts.size).toBe(2);
    expect(new Set(bodies.map(({ prompt }) => prompt.join())).size).toBe(6);
  });

  it('that refuses is a failed turn', async () => {
    const peer = llamaServerAt(await scripted(() => ({ status: 503, text: 'loading' })));
    const crew = await rawCrew(
      peer.connect,
      { context: 2, contexts: 1, append: 1, generate: 1, vocabSize: 9, seed: 1 },
      1,
    );
    const { samples, failures } = await drive(crew.agents, { turns: 2, random: () => 0.5 });
    expect(samples).toEqual([]);
    expect(failures.map(({ message }) => message)).toEqual(Array(2).fill('llama-server: 503 loading'));
  });
});
