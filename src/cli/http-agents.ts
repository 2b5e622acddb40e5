/** The coding agents that come over HTTP: to the service each key, else each address, is a client like others. */
import { LRUCache } from 'lru-cache';
import { ForetraceClient } from '../client/client.js';
import { type McpHttpHost, mcpHttpHost } from '../mcp/http.js';
import type { AgentCall, AgentEndpoint } from '../server/agents.js';
import { packageVersion } from './version.js';

/** Accounts that are remembered; the sessions of others are given back. */
const mostAccounts = 256;

interface Account {
  readonly host: McpHttpHost;
  readonly client: Promise<ForetraceClient>;
}

export class HttpAgents implements AgentEndpoint {
  private readonly accounts = new LRUCache<string, Account>({
    max: mostAccounts,
    dispose: (account, _name, reason) => {
      if (reason === 'evict') void account.host.end().then(() => leave(account));
    },
  });
  private address = '';

  /** Where the service listens that agents are clients of. */
  reach(address: string): void {
    this.address = address;
  }

  async answer(call: AgentCall): Promise<Response> {
    return (await this.accountOf(call)).host.answer(call.request, call.body);
  }

  /** Behind a service that has ended, and its sessions with it. */
  async end(): Promise<void> {
    await Promise.all([...this.accounts.values()].map(leave));
  }

  private async accountOf({ client: name, apiKey }: AgentCall): Promise<Account> {
    const known = this.accounts.get(name);
    if (known !== undefined) return known;
    const key = apiKey === '' ? {} : { apiKey };
    const client = ForetraceClient.connect(this.address, { reconnect: true, ...key });
    const account = { client, host: mcpHttpHost(() => client, packageVersion()) };
    this.accounts.set(name, account);
    client.catch(() => this.accounts.delete(name)); // the next one who asks tries again
    return account;
  }
}

async function leave({ client }: Account): Promise<void> {
  await (await client.catch(() => undefined))?.close();
}
