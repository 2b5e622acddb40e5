/** Data classes and named tuples: what calling one makes is written with its fields, which its text and the arguments tell. */
import { perText } from '../program.js';

/** A field and the canonical repr of its default; null: it has none that is told. */
interface Field {
  readonly name: string;
  readonly otherwise: string | null;
}

/** Of the module, without bases (or a named tuple), and with nothing said about how it is made or written. */
const head =
  /^(?:@(?:dataclasses\.)?dataclass(?:\((?:(?:frozen|order|slots|eq|unsafe_hash)=(?:True|False)(?:, )?)*\))?[ \t]*\n(?:#.*\n)*class ([^\W\d]\w*)(?:\(\))?|class ([^\W\d]\w*)\((?:typing\.)?NamedTuple\)):[ \t]*(?:#.*)?$/gmu;
/** `Point = namedtuple("Point", "x y")` of the module. */
const called =
  /^([^\W\d]\w*)[ \t]*=[ \t]*(?:collections\.)?namedtuple\([ \t]*["'](\w+)["'][ \t]*,[ \t]*(?:["']([\w ,]*)["']|[[(]([\w ,'"]*)[\])])[ \t]*\)[ \t]*(?:#.*)?$/gmu;
const field = /^( +)([^\W\d]\w*)[ \t]*:(.*)$/u;
const canonical =
  /^(?:None|True|False|-?(?:0|[1-9]\d{0,14})|-?(?:0|[1-9]\d{0,9})\.(?:0|\d{0,3}[1-9])|'[^'\\]*'|\(\))$/;
const doubleQuoted = /^"([^"'\\]*)"$/;
/** What makes a class be made or written in its own way, wherever it stands in the program. */
const ownWay = /__(?:init|post_init|new|repr|setattr|getattribute|getattr|init_subclass)__|\bsetattr\b/;

/** The fields of the data classes of a program that are plain, by their names. */
export const dataClassesOf = perText(({ source }) => dataClasses(source));

function dataClasses(source: string): ReadonlyMap<string, readonly Field[]> {
  const found = new Map<string, readonly Field[]>();
  for (const { 0: text, 1: data, 2: tuple, index } of source.matchAll(head)) {
    const name = data ?? tuple ?? '';
    if (source.slice(0, index).split('\n').at(-2)?.trimStart().startsWith('@')) continue;
    const body = bodyOf(source.slice(index + text.length + 1));
    const isOnce =
      source.match(new RegExp(`^[ \\t]*(?:class|def)\\s+${name}\\b|\\b${name}\\s*=(?!=)`, 'gm'))?.length ===
      1;
    const fields = isOnce && !ownWay.test(body.join('\n')) ? fieldsOf(body) : undefined;
    if (fields !== undefined) found.set(name, fields);
  }
  for (const [, name = '', written = '', inText, inList] of source.matchAll(called)) {
    const bindings = source.match(
      new RegExp(`^[ \\t]*(?:class|def)\\s+${name}\\b|\\b${name}\\s*=(?!=)`, 'gm'),
    );
    const names = (inText ?? inList ?? '').split(/[\s,'"]+/).filter((one) => one !== '');
    const isPlain = names.every((one) => /^[^\W\d_]\w*$/u.test(one)) && new Set(names).size === names.length;
    if (name === written && bindings?.length === 1 && isPlain && isImportedOnce(source, 'namedtuple'))
      found.set(
        name,
        names.map((one) => ({ name: one, otherwise: null })),
      );
  }
  return found;
}

/** Whether a name comes from `collections` and nothing else binds it. */
const isImportedOnce = (source: string, name: string): boolean =>
  !new RegExp(`\\b(?:def|class)\\s+${name}\\b|\\b${name}\\s*=(?!=)|\\bas\\s+${name}\\b`).test(source) &&
  /^[ \t]*(?:from[ \t]+collections[ \t]+import\b.*\bnamedtuple\b|import[ \t]+collections\b)/m.test(source);

const factories = new Map(Object.entries({ list: '[]', dict: '{}', set: 'set()', str: "''", int: '0' }));

/** The canonical repr of a default, if it is told. */
function defaultOf(text: string): string | undefined {
  const [, factory, value] =
    /^(?:dataclasses\.)?field\((?:default_factory=(\w+)|default=([^()]+))\)$/.exec(text) ?? [];
  if (factory !== undefined) return factories.get(factory);
  const written = (value ?? text).replace(doubleQuoted, "'$1'");
  return canonical.test(written) ? written : undefined;
}

const docstring = /^\s*(?:"""[\s\S]*?"""|'''[\s\S]*?''')/;

/** The lines of a body without its docstring, up to the first one that is not indented. */
function bodyOf(text: string): string[] {
  const lines = text.replace(docstring, '').split('\n');
  const end = lines.findIndex((line) => /^\S/.test(line));
  return lines.slice(0, end < 0 ? lines.length : end);
}

/** The fields at the beginning of a body, before its first method; undefined where something else stands there. */
function fieldsOf(body: readonly string[]): readonly Field[] | undefined {
  const fields: Field[] = [];
  const written = body.filter((line) => !/^\s*(?:#.*)?$/.test(line));
  const methods = written.findIndex((line) => /^ +(?:@|def )/.test(line));
  const indent = /^ +/.exec(written[0] ?? '')?.[0];
  for (const line of written.slice(0, methods < 0 ? written.length : methods)) {
    const [, before, name, rest = ''] = field.exec(line) ?? [];
    const [type = '', ...values] = rest.split('=');
    const otherwise = values.length > 0 ? (values.join('=').split('#')[0] as string).trim() : undefined;
    if (name === undefined || before !== indent || /\b(?:ClassVar|InitVar|KW_ONLY)\b/.test(type))
      return undefined;
    const made = otherwise === undefined ? undefined : defaultOf(otherwise);
    if (otherwise?.includes('field(') && made === undefined) return undefined;
    fields.push({ name, otherwise: made ?? null });
  }
  const rest = methods < 0 ? [] : written.slice(methods);
  const isLater = rest.some((line) => field.exec(line)?.[1] === indent);
  return isLater ? undefined : fields;
}

/** What a call of a data class makes, by the reprs of its arguments: by position, and by name; undefined where a field is not told, or an argument fits none. */
export function madeOf(
  name: string,
  fields: readonly Field[],
  given: readonly string[],
  named: ReadonlyMap<string, string>,
): string | undefined {
  const fits =
    given.length <= fields.length &&
    [...named.keys()].every((key) => fields.slice(given.length).some((other) => other.name === key));
  const texts = fields.map((one, at) => given[at] ?? named.get(one.name) ?? one.otherwise);
  if (!fits || texts.includes(null)) return undefined;
  return `${name}(${fields.map((one, at) => `${one.name}=${texts[at]}`).join(', ')})`;
}
