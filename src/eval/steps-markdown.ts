/** The report of `eval steps` as a page of Markdown. Pure. */
import type { NamedRow, Row } from './breakdown.js';
import { bucketName } from './buckets.js';
import { forecastFields } from './calibration.js';
import { percent, table, withInterval } from './markdown.js';
import type { ReverseRow } from './reverse.js';
import type { StepsReport } from './steps-report.js';

/** Most rows of the table of tags; the others are in report.json. */
const maxTags = 40;

const rowHeads = ['n', 'exact (95 %)', 'rule', 'event', 'line', 'locals', 'changed', 'rule changed'];
const rowCells = (row: Row): string[] => [
  String(row.n),
  withInterval(row.exact, row.exact_interval),
  percent(row.baseline_exact),
  percent(row.event),
  percent(row.line),
  percent(row.locals),
  row.changed_n === 0 ? '' : percent(row.changed),
  row.changed_n === 0 ? '' : percent(row.baseline_changed),
];

const rowTable = (what: string, rows: readonly NamedRow[]): string =>
  table(
    [what, ...rowHeads],
    rows.map((row) => [row.name, ...rowCells(row)]),
  );

const picture = (name: string, text: string): string => `![${text}](${name}.svg)`;

export function stepsMarkdown(report: StepsReport): string {
  const sections = [
    summary(report),
    byAction(report),
    horizon(report),
    values(report),
    types(report),
    others(report),
    calibration(report),
    selective(report),
    reverse(report),
    tags(report),
    leftOut(report),
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

const summary = ({ subject, n, cases, programs, left_out, all }: StepsReport): string =>
  `# Single predictions: ${subject.model.name} on ${subject.data.name}

Every question starts from the true state; a prediction is *exact* if event, line, all locals of the current frame and the value are
right. ${n} questions in ${cases} cases about ${programs} programs, ${left_out} left out. **Exact: ${withInterval(all.exact, all.exact_interval)} %**;
the rule "the next line comes next, nothing changes" has ${percent(all.baseline_exact)} %.

Shares are in percent, with Wilson 95 % intervals. *Changed* counts the locals and values that differ from the state before.
Model \`${subject.model.digest.slice(0, 16)}\` on ${subject.device}, data SHA-256 \`${subject.data.sha256.slice(0, 16)}\`.`;

function byAction({ all, actions, breakdowns }: StepsReport): string {
  const rows = [
    { name: 'all', ...all },
    ...breakdowns.direction,
    ...breakdowns.reach,
    ...Object.entries(actions).map(([name, row]) => ({ name, ...row })),
  ];
  return `## By action\n\n${rowTable('action', rows)}\n\n${picture('by-action', 'Exact states by action')}`;
}

function horizon({ breakdowns }: StepsReport): string {
  const groups = [
    { title: 'forward', rows: breakdowns.horizon_forward },
    { title: 'reverse', rows: breakdowns.horizon_reverse },
  ];
  const tables = groups.flatMap(({ title, rows }) => {
    const named = rows.filter(({ n }) => n > 0).map((row) => ({ ...row, name: bucketName(row) }));
    return named.length === 0 ? [] : [rowTable(`real steps, ${title}`, named)];
  });
  if (tables.length === 0) return '';
  return `## Jumps by horizon\n\n${tables.join('\n\n')}\n\n${picture('horizon', 'Exact jumps by real steps skipped')}`;
}

function values({ all, breakdowns, actions }: StepsReport): string {
  const rows = [
    { name: 'all', values: all.values },
    ...breakdowns.direction,
    ...Object.entries(actions).map(([name, row]) => ({ name, ...row })),
  ].filter(({ values: { n } }) => n > 0);
  if (rows.length === 0) return '';
  const heads = ['action', 'n', 'right (95 %)', 'rule', 'equals an argument', 'stands in the state before'];
  const cells = rows.map(({ name, values: { n, model, model_interval, rule, argument, known } }) => [
    name,
    String(n),
    withInterval(model, model_interval),
    percent(rule),
    percent(argument),
    percent(known),
  ]);
  return `## Values of returns and exceptions

The last two columns say how often the value could have been copied: it equals an argument of its frame, or anything in the state before.

${table(heads, cells)}`;
}

function types({ breakdowns }: StepsReport): string {
  if (breakdowns.type.length === 0) return '';
  const cells = breakdowns.type.map(({ name, n, model, model_interval, rule, known }) => [
    name,
    String(n),
    withInterval(model, model_interval),
    percent(rule),
    percent(known),
  ]);
  return `## Changed values by type

${table(['type', 'n', 'right (95 %)', 'rule', 'stands in the state before'], cells)}

Values of one state are not independent; their intervals are somewhat too narrow.

${picture('by-type', 'Changed values by type')}`;
}

function others({ breakdowns }: StepsReport): string {
  const tables: [string, string, readonly NamedRow[]][] = [
    ['By statement', 'single steps over', breakdowns.statement],
    ['By program length', 'code lines', breakdowns.program_lines],
    ['By prompt length', 'tokens', breakdowns.prompt_tokens],
    ['By number of locals', 'locals', breakdowns.locals],
  ];
  return tables
    .filter(([, , rows]) => rows.length > 0)
    .map(([title, what, rows]) => `## ${title}\n\n${rowTable(what, rows)}`)
    .join('\n\n');
}

function calibration({ calibration: fields }: StepsReport): string {
  const heads = ['field', 'n', 'mean probability', 'right', 'ECE', 'ECE, equal mass', 'Brier'];
  const cells = forecastFields.map((field) => {
    const { n, confidence, accuracy, ece, ece_equal_mass, brier } = fields[field];
    const errors = [ece, ece_equal_mass, brier].map((error) => error.toFixed(4));
    return [field, String(n), percent(confidence), percent(accuracy), ...errors];
  });
  const bins = fields.answer.bins.filter(({ n }) => n > 0);
  const binCells = bins.map((bin) => [
    `${bin.from.toFixed(2)}-${bin.to.toFixed(2)}`,
    String(bin.n),
    percent(bin.confidence),
    withInterval(bin.accuracy, bin.interval),
  ]);
  return `## Calibration

${table(heads, cells)}

Reliability of the whole answer, ${fields.answer.bins.length} bins of equal width:

${table(['probability', 'n', 'mean probability', 'exact (95 %)'], binCells)}

${picture('calibration', 'Reliability diagrams')}`;
}

function selective({ selective: rows }: StepsReport): string {
  const cells = rows.map(({ coverage, n, exact, interval, threshold }) => [
    `${Math.round(coverage * 100)} %`,
    String(n),
    withInterval(exact, interval),
    threshold.toFixed(4),
  ]);
  return `## The most confident answers\n\n${table(['answered', 'n', 'exact (95 %)', 'least probability'], cells)}`;
}

function reverse({ reverse: report }: StepsReport): string {
  if (!report) return '';
  const { asked, all, actions, ranked_by } = report;
  const heads = [
    'action',
    'n',
    'exact@1 (95 %)',
    `exact@${asked}`,
    'judged',
    'best valid (95 %)',
    'any valid',
    'valid mass',
    'undecided mass',
  ];
  const cells = ([name, row]: [string, ReverseRow]): string[] => [
    name,
    String(row.n),
    withInterval(row.exact_at_1, row.exact_at_1_interval),
    percent(row.exact_at_n),
    String(row.decided_n),
    withInterval(row.valid_top, row.valid_top_interval),
    percent(row.valid_any),
    percent(row.valid_mass),
    percent(row.undecided_mass),
  ];
  const rows: [string, ReverseRow][] = [['all', all], ...Object.entries(actions)];
  const { consistent, inconsistent } = all;
  const check =
    consistent.n + inconsistent.n === 0
      ? ''
      : `\n\nOf ${consistent.n} candidates from which the model comes back to the known state ${percent(consistent.valid)} % are valid, of ${inconsistent.n} others ${percent(inconsistent.valid)} %.`;
  return `## Reverse actions as a distribution

Up to ${asked} candidates a question (${all.candidates.toFixed(1)} on average, with ${percent(all.mass)} % of the probability), the best by ${ranked_by} first. A
candidate is *valid* if the program, run from it, comes to the known state; *judged* counts the questions where that could be decided
for the best one. The masses are means over all questions: the probability of candidates known to be valid, and of those undecided.

${table(heads, rows.map(cells))}${check}`;
}

function tags({ breakdowns }: StepsReport): string {
  if (breakdowns.tag.length === 0) return '';
  const more = breakdowns.tag.length - maxTags;
  const rest = more > 0 ? `\n\n${more} rarer tags are in report.json.` : '';
  return `## By tag\n\n${rowTable('tag', breakdowns.tag.slice(0, maxTags))}${rest}`;
}

function leftOut({ left_out_reasons }: StepsReport): string {
  const reasons = Object.entries(left_out_reasons);
  if (reasons.length === 0) return '';
  return `## Left out\n\n${table(
    ['reason', 'questions'],
    reasons.map(([reason, count]) => [reason, String(count)]),
  )}`;
}
