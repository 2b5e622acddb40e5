/** Raw turns against this service. */
import { ForetraceClient } from '../../client/client.js';
import type { RawPort } from './raw-agent.js';

export class SocketPort implements RawPort {
  private constructor(private readonly client: ForetraceClient) {}

  static async connect(url: string, apiKey?: string): Promise<SocketPort> {
    return new SocketPort(await ForetraceClient.connect(url, apiKey === undefined ? {} : { apiKey }));
  }

  async open(context: string, tokens: readonly number[]): Promise<void> {
    await this.client.rawOpen({ context, tokens: [...tokens] });
  }

  async turn(
    context: string,
    tokens: readonly number[],
    generate: number,
    onFirst: () => void,
  ): Promise<number> {
    const answer = await this.client.rawTurn(
      { context, tokens: [...tokens], generate },
      { onTokens: onFirst },
    );
    return answer.tokens.length;
  }

  close(): Promise<void> {
    return this.client.close();
  }
}
