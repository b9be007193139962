/** Reads the beginning of a line column by column; a tab extends to the next multiple of four. */
export class LineCursor {
  readonly #text: string;
  readonly #end: number;
  #at: number;
  #column = 0;
  /** Columns of a partly consumed tab. */
  #spare = 0;
  /** The position of the first character that is not a blank. */
  #ink: number;

  constructor(text: string, start: number, end: number) {
    this.#text = text;
    this.#at = start;
    this.#end = end;
    this.#ink = start;
    while (this.#ink < end && isBlank(text, this.#ink)) this.#ink++;
  }

  get at(): number {
    return this.#at;
  }

  isBlank(): boolean {
    return this.#ink === this.#end;
  }

  get ink(): number {
    return this.#ink;
  }

  get first(): string {
    return this.#text.charAt(this.#ink);
  }

  rest(): string {
    return this.#text.slice(this.#ink, this.#end);
  }

  hasIndent(columns: number): boolean {
    let found = this.#spare;
    for (let at = this.#at; found < columns && at < this.#ink; at++)
      found += this.#widthAt(at, this.#column + found);
    return found >= columns;
  }

  /** Skips at most this many columns of blanks, and returns how many it skipped. */
  skipBlanks(columns: number): number {
    let taken = Math.min(this.#spare, columns);
    this.#spare -= taken;
    this.#column += taken;
    while (taken < columns && this.#at < this.#ink) {
      const width = this.#widthAt(this.#at, this.#column);
      const part = Math.min(width, columns - taken);
      this.#at += 1;
      this.#column += part;
      this.#spare = width - part;
      taken += part;
    }
    return taken;
  }

  skipCharacters(count: number): void {
    this.#at += count;
    this.#column += count;
    if (this.#at > this.#ink) this.#ink = this.#at;
    while (this.#ink < this.#end && isBlank(this.#text, this.#ink)) this.#ink++;
  }

  #widthAt(at: number, column: number): number {
    return this.#text.charAt(at) === "\t" ? TAB - (column % TAB) : 1;
  }
}

const TAB = 4;

function isBlank(text: string, at: number): boolean {
  const character = text.charAt(at);
  return character === " " || character === "\t";
}
