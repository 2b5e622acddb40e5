/** Whether the name that an entry calls can be anything at all: who mistypes it should hear that, and not get a session over it. */
import { ForetraceError } from '../errors.js';
import { lex } from './language/lexer.js';
import type { Program } from './program.js';

/** Builtins of Python 3.11 that can be called; exceptions and warnings are told by their endings. */
const builtins: ReadonlySet<string> = new Set(
  `__build_class__ __import__ abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile
  complex copyright credits delattr dict dir divmod enumerate eval exec exit filter float format frozenset getattr globals hasattr
  hash help hex id input int isinstance issubclass iter len license list locals map max memoryview min next object oct open ord pow
  print property quit range repr reversed round set setattr slice sorted staticmethod str sum super tuple type vars zip
  BaseException BaseExceptionGroup Exception ExceptionGroup GeneratorExit KeyboardInterrupt StopAsyncIteration StopIteration
  SystemExit`.split(/\s+/),
);
const isBuiltin = (name: string): boolean => builtins.has(name) || /(Error|Warning)$/.test(name);

/** Programs that may bind names which their text does not show. */
const bindsUnseen =
  /\bimport\s*\(?\s*\*|\b(exec|eval|globals|locals|vars|setattr|builtins|__(builtins|dict|globals|import|setattr)__|sys)\b/;

/**
 * An entry that hides its arguments is never run, and may say any name.
 * @throws ForetraceError invalid_entry if the entry calls a name that is no builtin and nowhere in the program
 */
export function assertKnownName({ call, source, hidesArguments }: Program): void {
  if (hidesArguments) return;
  const [callee, bracket] = lex(call);
  if (callee?.kind !== 'name' || bracket?.text !== '(') return;
  const name = callee.text.normalize('NFKC');
  if (isBuiltin(name) || bindsUnseen.test(source)) return;
  const word = new RegExp(`(?<!\\p{ID_Continue})${name}(?!\\p{ID_Continue})`, 'u');
  if (word.test(source.normalize('NFKC'))) return;
  throw new ForetraceError('invalid_entry', `the program has no ${callee.text}`, {
    expected: 'a call of a name of the program, or of a builtin',
    actual: call,
  });
}
