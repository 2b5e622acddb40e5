/** How a tool is offered: its arguments are checked, a refusal of the service is told as the result, and a cancelled call stops. */
import { setMaxListeners } from 'node:events';
import type { CallToolResult, McpServer, StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import { asForetraceError, errorText } from '../errors.js';
import { printable } from '../view/answer.js';

/** A tool's result: text for the model that called, or what was found before an error, and the error. */
export type Reply = string | { readonly found: readonly string[]; readonly error: unknown };

export interface ToolText {
  readonly title: string;
  readonly description: string;
}

export type AddTool = <Schema extends z.ZodObject>(
  name: string,
  text: ToolText,
  input: Schema,
  run: (given: z.infer<Schema>, signal: AbortSignal) => Promise<Reply>,
) => void;

/** Nothing outside the service changes, and nothing is run, whatever is called. */
const annotations = { readOnlyHint: true, destructiveHint: false, openWorldHint: false };

export const adderTo =
  (server: McpServer): AddTool =>
  (name, text, input, run) => {
    const inputSchema: StandardSchemaWithJSON<unknown, z.infer<typeof input>> = input;
    server.registerTool(name, { ...text, inputSchema, annotations }, async (given, context) => {
      try {
        const { signal } = context.mcpReq;
        // Each request that a tool makes listens.
        setMaxListeners(0, signal);
        return resultOf(await run(given, signal));
      } catch (error) {
        return resultOf({ found: [], error });
      }
    });
  };

function resultOf(reply: Reply): CallToolResult {
  if (typeof reply === 'string') return { content: [{ type: 'text', text: reply }] };
  const { found, error } = reply;
  const coded = asForetraceError(error);
  const content = [{ type: 'text' as const, text: [...found, printable(errorText(coded))].join('\n') }];
  // Who goes on until the run is over has not failed.
  const isOver = coded.code === 'past_end' || coded.code === 'past_start';
  return found.length > 0 && isOver ? { content } : { content, isError: true };
}
