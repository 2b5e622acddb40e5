/** A coding agent's side of the MCP server. */
import { Client, type Transport } from '@modelcontextprotocol/client';

export class Agent {
  private readonly client = new Client({ name: 'test', version: '1' });

  static async over(transport: Transport): Promise<Agent> {
    const agent = new Agent();
    await agent.client.connect(transport);
    return agent;
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
