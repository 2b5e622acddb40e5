/** A coding agent's side of the MCP server. */
import { Client, type Transport } from '@modelcontextprotocol/client';

export class Agent {
  private readonly client: Client;

  /** @param mode `legacy`: the protocol before 2026; `auto`: the newest that the server speaks */
  private constructor(mode: 'legacy' | 'auto') {
    this.client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  }

  static async over(transport: Transport, mode: 'legacy' | 'auto' = 'legacy'): Promise<Agent> {
    const agent = new Agent(mode);
    await agent.client.connect(transport);
    return agent;
  }

  get protocol(): string | undefined {
    return this.client.getNegotiatedProtocolVersion();
  }

  async tools() {
    return (await this.client.listTools()).tools;
  }

  get instructions(): string | undefined {
    return this.client.getInstructions();
  }

  /** The text of a result, and whether it tells of a failure. */
  async call(name: string, given: Record<string, unknown>, signal?: AbortSignal) {
    const { content, isError = false } = await this.client.callTool(
      { name, arguments: given },
      signal ? { signal } : {},
    );
    const text = content.map((part) => (part.type === 'text' ? part.text : `<${part.type}>`)).join('\n');
    return { text, isError };
  }

  close(): Promise<void> {
    return this.client.close();
  }
}
