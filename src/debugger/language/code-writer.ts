/** Writes code, lexical token by lexical token, as tokens of the language (docs/trace-language.md, section 2). */
import { isField, type LexicalToken, type Part } from './lexer.js';
import { SourceMap } from './source-error.js';
import { escapeText, literalRepr } from './strings.js';
import { charToken, operatorToken, special, textTokens } from './tokens.js';

/** Code being written. How a name is written is up to those who extend this. */
export abstract class CodeWriter {
  readonly out: number[] = [];
  protected map: SourceMap;

  constructor(text: string) {
    this.map = new SourceMap(text);
  }

  /** Throws invalid_python for a string that needs the Unicode name table, and what `name` throws. */
  code(tokens: readonly LexicalToken[]): void {
    for (const token of tokens) this.token(token);
  }

  /** The slot or the word of a name. */
  protected abstract name(token: LexicalToken): number;

  protected token(token: LexicalToken): void {
    const { kind, text } = token;
    if (kind === 'name') this.out.push(this.name(token));
    else if (kind === 'operator') this.out.push(operatorToken(text));
    else if (kind === 'number') this.add(text.replaceAll('_', '').toLowerCase());
    else if (kind === 'fstring') {
      this.out.push(special.fstring);
      this.parts(token.parts ?? []);
      this.out.push(special.fend);
    } else {
      if (kind === 'bytes') this.out.push(special.bytes);
      this.add(literalRepr(text, this.map.position(token.start)));
    }
  }

  private add(text: string): void {
    for (const token of textTokens(text)) this.out.push(token);
  }

  /** The inside of an f-string or of a format spec. */
  private parts(parts: readonly Part[]): void {
    for (const part of parts) {
      if (!isField(part)) {
        this.add(escapeText(part).replaceAll('{', '{{').replaceAll('}', '}}'));
        continue;
      }
      this.out.push(charToken('{'));
      this.code(part.tokens);
      if (part.conversion !== '') this.out.push(charToken('!'), charToken(part.conversion));
      if (part.spec !== undefined) {
        this.out.push(charToken(':'));
        this.parts(part.spec);
      }
      this.out.push(charToken('}'));
    }
  }
}
