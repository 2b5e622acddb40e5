/** Names of the numbers that messages carry. */
import { eventNumbers, originNumbers, type WireState } from './messages.js';

/** The name of a number in one of the tables of messages.ts. */
export const nameOf = (table: Readonly<Record<string, number>>, value: number): string =>
  Object.entries(table).find(([, number]) => number === value)?.[0] ?? 'unknown';

export const eventName = (state: WireState): string => nameOf(eventNumbers, state.event);
export const originName = ({ origin }: { readonly origin: number }): string => nameOf(originNumbers, origin);
