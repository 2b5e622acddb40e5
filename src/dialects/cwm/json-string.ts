/** The inside of a JSON string in ASCII, character by character: how `json.dumps` of Python writes any text. Pure. */

/** Behind a whole character, where the string may end. */
export const plain = 0;
/** Behind a backslash. */
const escaped = 1;
/** Behind `\u`: the first digit decides, then perhaps the second. */
const unicode = 2;
const perhapsSurrogate = 3;
/** Of a code unit that stands alone, so many digits are left. */
const three = 4;
const two = 5;
const one = 6;
/** Of the first half of a character beyond the basic plane; the second half must follow. */
const highTwo = 7;
const highOne = 8;
const highDone = 9;
const lowEscaped = 10;
const lowUnicode = 11;
const lowFirst = 12;
export const phaseCount = 13;

/** What a character leads to beside a phase: the end of the string, or nothing that is allowed. */
export const closed = -1;
export const refused = -2;

const isHex = (character: string): boolean => /^[0-9a-fA-F]$/.test(character);

/** The phase behind a character, `closed` or `refused`. */
export function nextPhase(phase: number, character: string): number {
  switch (phase) {
    case plain:
      if (character === '"') return closed;
      if (character === '\\') return escaped;
      return character >= ' ' && character <= '~' ? plain : refused;
    case escaped:
      if (character === 'u') return unicode;
      return '"\\/bfnrt'.includes(character) ? plain : refused;
    case unicode:
      if (!isHex(character)) return refused;
      return 'dD'.includes(character) ? perhapsSurrogate : three;
    case perhapsSurrogate:
      if (!isHex(character)) return refused;
      if ('01234567'.includes(character)) return two;
      return '89abAB'.includes(character) ? highTwo : refused;
    case highDone:
      return character === '\\' ? lowEscaped : refused;
    case lowEscaped:
      return character === 'u' ? lowUnicode : refused;
    case lowUnicode:
      return 'dD'.includes(character) ? lowFirst : refused;
    case lowFirst:
      return 'cdefCDEF'.includes(character) ? two : refused;
    default:
      return isHex(character) ? (digitsLeft[phase] ?? refused) : refused;
  }
}

const digitsLeft: Readonly<Record<number, number>> = {
  [three]: two,
  [two]: one,
  [one]: plain,
  [highTwo]: highOne,
  [highOne]: highDone,
};

/** A text as it stands between the quotes. */
export const jsonText = (text: string): string =>
  JSON.stringify(text)
    .slice(1, -1)
    .replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
