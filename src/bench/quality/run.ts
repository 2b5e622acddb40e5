/** What rounded weights cost: predictions of every number format beside those of fp32, over true answers. */
import type { EngineOptions, NativeAddon, NativeEngine, WeightFormat } from '../../native/addon-types.js';
import { type Agreement, AgreementSum } from '../agreement.js';
import type { AnswerText } from './texts.js';

export interface QualityRow extends Agreement {
  dtype: WeightFormat;
  /** Mean negative log-probability of the true tokens, nats. */
  loss: number;
  /** The same under fp32. */
  reference_loss: number;
}

export interface QualityOptions {
  modelDir: string;
  isa: EngineOptions['isa'];
  threads: number;
  dtypes: readonly WeightFormat[];
}

/** Opens one engine a format; longer texts than `maxTokens` must not come. */
const open = (addon: NativeAddon, options: QualityOptions, dtype: WeightFormat, maxTokens: number) =>
  addon.loadEngine({
    modelDir: options.modelDir,
    device: 'cpu',
    isa: options.isa,
    dtype,
    threads: options.threads,
    pages: Math.ceil(maxTokens / 16) + 2,
    pageTokens: 16,
    maxRows: Math.max(maxTokens, 64),
    maxSequences: 1,
    hostCacheBytes: 0,
    drafts: 'off',
  });

/** Compares every format with fp32. `update` is called after every text. */
export async function measureQuality(
  addon: NativeAddon,
  options: QualityOptions,
  texts: readonly AnswerText[],
  update: (done: number, total: number) => void,
): Promise<QualityRow[]> {
  const maxTokens = Math.max(...texts.map(({ tokens }) => tokens.length));
  const engines: NativeEngine[] = [];
  try {
    for (const dtype of ['fp32', ...options.dtypes] as const)
      engines.push(await open(addon, options, dtype, maxTokens));
    const sums = options.dtypes.map(() => ({ agreement: new AgreementSum(), loss: 0, reference: 0 }));
    for (const [done, text] of texts.entries()) {
      const [reference, ...others] = engines.map((engine) => answerLogits(engine, text));
      const { vocabSize } = (engines[0] as NativeEngine).info;
      for (const [i, logits] of others.entries()) {
        const sum = sums[i] as (typeof sums)[number];
        sum.agreement.add(reference as Float32Array, logits, vocabSize);
        sum.loss += trueLoss(logits, text, vocabSize);
        sum.reference += trueLoss(reference as Float32Array, text, vocabSize);
      }
      update(done + 1, texts.length);
    }
    return options.dtypes.map((dtype, i) => {
      const { agreement, loss, reference } = sums[i] as (typeof sums)[number];
      const result = agreement.result();
      return {
        dtype,
        ...result,
        loss: loss / result.positions,
        reference_loss: reference / result.positions,
      };
    });
  } finally {
    for (const engine of engines) await engine.dispose();
  }
}

/** Logits before every token of the answer: [answer tokens, vocabulary]. */
function answerLogits(engine: NativeEngine, { tokens, promptTokens }: AnswerText): Float32Array {
  const { vocabSize } = engine.info;
  return engine.logits(tokens).slice((promptTokens - 1) * vocabSize, (tokens.length - 1) * vocabSize);
}

/** Sum over the answer's tokens of -log p(token). */
function trueLoss(logits: Float32Array, { tokens, promptTokens }: AnswerText, vocabSize: number): number {
  let sum = 0;
  for (let start = 0, at = promptTokens; at < tokens.length; start += vocabSize, ++at) {
    const row = logits.subarray(start, start + vocabSize);
    const top = row.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
    const total = row.reduce((all, logit) => all + Math.exp(logit - top), 0);
    sum += top + Math.log(total) - (row[tokens[at] as number] as number);
  }
  return sum;
}
