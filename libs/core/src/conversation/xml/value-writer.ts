/** Writes one parameter as JSON: text at once, as it comes; any other value when it is whole. */
import type { JsonSchema } from '@bullpen/contracts';
import { isPlainText, typesOfParameter, valueOf } from './values.js';

export class ValueWriter {
  private readonly types: ReadonlySet<string>;
  private readonly isText: boolean;
  private readonly pieces: string[] = [];

  constructor(
    schema: JsonSchema,
    name: string,
    isFirst: boolean,
    private readonly sink: { json(piece: string): void },
  ) {
    this.types = typesOfParameter(schema, name);
    this.isText = isPlainText(this.types);
    sink.json(`${isFirst ? '' : ','}${JSON.stringify(name)}:${this.isText ? '"' : ''}`);
  }

  write(piece: string): void {
    if (this.isText) this.sink.json(JSON.stringify(piece).slice(1, -1));
    else this.pieces.push(piece);
  }

  end(): void {
    this.sink.json(this.isText ? '"' : JSON.stringify(valueOf(this.pieces.join(''), this.types)));
  }
}
