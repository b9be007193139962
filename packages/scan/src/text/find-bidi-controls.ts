export interface BidiControl {
  readonly offset: number;
  readonly detail: string;
}

/** Finds overrides anywhere, and embeddings and isolates on lines without a right-to-left letter, where they have no honest use. */
export function findBidiControls(text: string): BidiControl[] {
  const found: BidiControl[] = [];
  for (let from = 0; found.length < MAX_CONTROLS; ) {
    CONTROLS.lastIndex = from;
    const offset = CONTROLS.exec(text)?.index;
    if (offset === undefined) break;
    const next = text.indexOf("\n", offset);
    const end = next === -1 ? text.length : next;
    const line = text.slice(text.lastIndexOf("\n", offset) + 1, end);
    if (isOdd(line)) {
      const names = [...new Set(line.match(CONTROLS) ?? [])].map(nameOf).sort();
      found.push({ offset, detail: names.join(", ") });
    }
    from = end;
  }
  return found;
}

const CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g;
const RIGHT_TO_LEFT =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;
const MAX_CONTROLS = 50;

function isOdd(line: string): boolean {
  if (/[\u202d\u202e]/.test(line)) return true;
  return /[\u202a\u202b\u2066-\u2068]/.test(line) && !RIGHT_TO_LEFT.test(line);
}

function nameOf(control: string): string {
  return `U+${(control.codePointAt(0) ?? 0).toString(16).toUpperCase()}`;
}
