import { MAX_HEADER_DEPTH } from "./format-limits.ts";
import { isTooDeep, parseYaml } from "./parse-yaml.ts";

/** Follows brackets and quotes over the lines of a flow collection. */
export class BracketScan {
  /** The closing brackets that are still missing, outermost first. */
  readonly open: string[] = [];
  /** Whether a bracket came that closes nothing. */
  broken = false;
  private quote = "";
  // A quote inside a plain scalar, as in `what's`, is a letter like any other.
  private atScalarStart = true;
  private afterQuoted = false;

  /** Reads on; gives the offset behind the bracket that closes the collection, or -1. */
  feed(text: string, from: number): number {
    for (let at = from; at < text.length && !this.broken; at += 1) {
      const character = text[at] ?? "";
      if (this.quote === "") this.readOutside(character, text[at + 1] ?? " ");
      else if (character === "\\" && this.quote === '"') at += 1;
      else if (character === this.quote) this.leaveQuotes();
      if (this.open.length === 0) return at + 1;
    }
    return -1;
  }

  /** Whether nothing but brackets is missing. */
  get lacksOnlyBrackets(): boolean {
    return !this.broken && this.quote === "" && this.open.length > 0;
  }

  private leaveQuotes(): void {
    this.quote = "";
    this.afterQuoted = true;
  }

  private readOutside(character: string, next: string): void {
    if ((character === '"' || character === "'") && this.atScalarStart) this.quote = character;
    else if (character === "{") this.open.push("}");
    else if (character === "[") this.open.push("]");
    else if (character === "}" || character === "]") this.broken = this.open.pop() !== character;
    const isValueColon = character === ":" && (next === " " || this.afterQuoted);
    this.afterQuoted = false;
    if (isValueColon || "{[,".includes(character)) this.atScalarStart = true;
    else if (character !== " " && character !== "\t") this.atScalarStart = false;
  }
}

/** The text with its missing closing brackets, or undefined if those are not all it lacks. */
export function closeBrackets(text: string): string | undefined {
  const scan = new BracketScan();
  scan.feed(text, 0);
  return scan.lacksOnlyBrackets ? text + scan.open.toReversed().join("") : undefined;
}

/** Whether a text is YAML by itself. */
export function parsesAlone(text: string): boolean {
  const parsed = parseYaml(text, { maxDepth: MAX_HEADER_DEPTH });
  return !isTooDeep(parsed) && parsed.document.errors.length === 0 && parsed.secondStart === undefined;
}
