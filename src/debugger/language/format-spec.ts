/**
 * What `format` makes of numbers and strings (docs.python.org, "Format Specification Mini-Language"), where it only puts characters together or leaves some out:
 * a number that is rounded up, or written in hundredths, has to be given as what that comes to.
 */

const specification =
  /^(?:(?<fill>[ -~])?(?<align>[<>^=]))?(?<sign>[-+ ])?(?<zero>0)?(?<width>\d{1,3})?(?<comma>,)?(?:\.(?<places>\d{1,2}))?(?<type>[dfs%]?)$/;
const integer = /^-?\d+$/;
const float = /^-?\d+\.\d+$/;
/** Digits that a float has as they are written. */
const exactDigits = 15;
const usualPlaces = '6';

type Options = Readonly<Record<string, string | undefined>>;

/** What `format` makes of a string; undefined for what is no specification for strings, and for escapes that would have to be counted. */
export function formattedText(characters: string, spec: string): string | undefined {
  if (spec === '') return characters;
  const options = characters.includes('\\') ? undefined : specification.exec(spec)?.groups;
  if (options === undefined) return undefined;
  const { type, sign, comma, align, places, zero } = options;
  const isOther = sign ?? comma ?? zero ?? (align === '=' ? align : undefined);
  if ((type !== 's' && type !== '') || isOther !== undefined) return undefined;
  const shown = Array.from(characters).slice(0, places === undefined ? undefined : Number(places));
  return padded('', shown.join(''), options, '<');
}

/** What a number is made to before it is written: a hundred times as much, then rounded; undefined for specifications that do neither. */
export function roundingOf(
  spec: string,
): { readonly isPercent: boolean; readonly places: number } | undefined {
  const { type, places = usualPlaces } = specification.exec(spec)?.groups ?? {};
  const isPercent = type === '%';
  return isPercent || type === 'f' ? { isPercent, places: Number(places) } : undefined;
}

/**
 * What `format` makes of a number, which is given as its repr; undefined for other values, and specifications that are not reckoned with. isRounded: whether it was
 * made to what is written (`roundingOf`).
 */
export function formattedNumber(value: string, spec: string, isRounded = false): string | undefined {
  const options = specification.exec(spec)?.groups;
  if (options === undefined || (options.type === '%' && !isRounded)) return undefined;
  const digits = integer.test(value)
    ? ofInteger(value, options)
    : float.test(value)
      ? ofFloat(value, options)
      : undefined;
  if (digits === undefined) return undefined;
  const isBelow = digits.startsWith('-');
  const sign = isBelow ? '-' : options.sign === '-' ? '' : (options.sign ?? '');
  const unsigned = grouped(isBelow ? digits.slice(1) : digits, options);
  const mark = options.type === '%' ? '%' : '';
  return unsigned === undefined ? undefined : padded(sign, unsigned + mark, options, '>');
}

const isFixed = (type: string | undefined): boolean => type === 'f' || type === '%';

function ofInteger(digits: string, { type, places }: Options): string | undefined {
  if (isFixed(type)) return digits.length > exactDigits ? undefined : withPlaces(digits, '', places);
  return type === 's' || places !== undefined ? undefined : digits;
}

function ofFloat(value: string, { type, places }: Options): string | undefined {
  const [whole = '', decimals = ''] = value.split('.');
  if (isFixed(type)) {
    const isExact = whole.length + Number(places ?? usualPlaces) <= exactDigits;
    return isExact ? withPlaces(whole, decimals, places) : undefined;
  }
  return type === '' && places === undefined ? value : undefined;
}

/**
 * With so many decimals. A float lies on the same side of the middle between two of these as its repr does: the middle, which is shorter, would be its repr if
 * it lay between them.
 */
function withPlaces(whole: string, decimals: string, places = usualPlaces): string | undefined {
  const count = Number(places);
  if (/^[5-9]/.test(decimals.slice(count))) return undefined;
  return count === 0 ? whole : `${whole}.${decimals.slice(0, count).padEnd(count, '0')}`;
}

/** With commas between thousands; zeros before these are not reckoned with. */
function grouped(digits: string, { comma, zero, align, fill }: Options): string | undefined {
  if (comma === undefined) return digits;
  if (zero !== undefined || (align === '=' && fill === '0')) return undefined;
  const [whole = '', ...rest] = digits.split(/(?=\.)/);
  return [whole.replace(/\B(?=(?:\d{3})+$)/g, ','), ...rest].join('');
}

/** As wide as is asked for. */
function padded(sign: string, shown: string, options: Options, usual: '<' | '>'): string {
  const { width = '0', zero } = options;
  const fill = options.fill ?? zero ?? ' ';
  const align = options.align ?? (zero === undefined ? usual : '=');
  const missing = Math.max(0, Number(width) - sign.length - Array.from(shown).length);
  if (align === '=') return sign + fill.repeat(missing) + shown;
  const before = align === '<' ? 0 : align === '>' ? missing : Math.floor(missing / 2);
  return fill.repeat(before) + sign + shown + fill.repeat(missing - before);
}
