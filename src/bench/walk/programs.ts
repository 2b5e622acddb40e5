/** What is walked through: the examples that ship, each time with other arguments, so that no question is asked twice. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Random } from '../agents/random.js';
import type { Workload } from '../agents/workload.js';

export interface WalkProgram {
  readonly name: string;
  readonly source: string;
  /** A call of the program. */
  call(random: Random): string;
}

const whole = (random: Random, least: number, most: number): number => least + random.below(most - least + 1);

const several = <Item>(random: Random, least: number, most: number, item: () => Item): Item[] =>
  Array.from({ length: whole(random, least, most) }, item);

const words = ['pen', 'ink', 'pad', 'clip', 'tape', 'glue', 'pin', 'cord', 'lamp', 'box'] as const;

/** Different words, as many as fit between the bounds. */
const someWords = (random: Random, least: number, most: number): string[] => [
  ...new Set(several(random, least, most, () => random.pick(words))),
];

function prices(random: Random): string {
  const price = (): string =>
    random.below(4) === 0 ? random.pick(['free', '', 'n/a']) : `${random.below(20)}.${random.below(10)}0`;
  return `{${someWords(random, 2, 4)
    .map((word) => `'${word}': '${price()}'`)
    .join(', ')}}`;
}

function formula(random: Random): string {
  const number = (): string => `${whole(random, 1, 12)}`;
  const group = (): string => `( ${number()} ${random.pick(['+', '-'])} ${number()} )`;
  const operand = (): string => (random.below(3) === 0 ? group() : number());
  return several(random, 1, 2, operand).reduce(
    (text, next) => `${text} ${random.pick(['+', '-', '*'])} ${next}`,
    operand(),
  );
}

const calls: Readonly<Record<string, (random: Random) => string>> = {
  off_by_one: (random) => `running_maximum([${several(random, 3, 8, () => random.below(50)).join(', ')}])`,
  recursion: (random) => {
    const numbers = several(random, 3, 5, () => whole(random, 1, 15)).sort((a, b) => a - b);
    return `solve([${numbers.join(', ')}], ${whole(random, 8, 25)})`;
  },
  string_bug: (random) => {
    const text = someWords(random, 1, 3).join(random.pick([' ', ', ', '-', '!']));
    return `is_palindrome('${random.below(2) ? text : text + [...text].reverse().join('')}')`;
  },
  exception_path: (random) => `total_price(${prices(random)})`,
  parser: (random) => `evaluate('${formula(random)}')`,
  mutated_default: (random) =>
    `add('${random.pick(words)}', ${whole(random, 1, 40)}, {'${random.pick(words)}': ${random.below(30)}})`,
};

/** All examples that take arguments. */
export function examplePrograms(): WalkProgram[] {
  const folder = fileURLToPath(new URL('../../../examples/', import.meta.url));
  return Object.entries(calls).map(([name, call]) => ({
    name,
    source: readFileSync(`${folder}${name}.py`, 'utf8'),
    call,
  }));
}

/** The programs of a workload file, each with the one call it names. */
export const workloadPrograms = ({ programs }: Workload): WalkProgram[] =>
  programs.map(({ name, source, call }) => ({ name, source, call: () => call }));
