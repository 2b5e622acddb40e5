/** Parts of an answer that wait until it is known to stand. */
import type { DecodedPart } from '../debugger/language/decoded.js';

export type OnPart = (part: DecodedPart) => void;

export function showParts(parts: readonly DecodedPart[], onPart: OnPart | undefined): void {
  if (onPart) for (const part of parts) onPart(part);
}
