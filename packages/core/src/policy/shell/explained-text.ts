/** A stretch of text that the walk has accounted for. */
export interface Span {
  readonly pos: number;
  readonly end: number;
}

/**
 * The first piece of a command's text that is neither part of a span nor punctuation between commands.
 *
 * A tolerant parser may pass over text without an error. What the shell would run must not be among it.
 */
export function findUnexplained(source: string, region: Span, spans: readonly Span[]): string | undefined {
  const sorted = [...spans].sort((left, right) => left.pos - right.pos);
  let position = region.pos;
  for (const span of [...sorted, { pos: region.end, end: region.end }]) {
    if (span.pos > position) {
      const gap = source.slice(position, span.pos);
      if (!PUNCTUATION.test(gap.replace(HARMLESS_COMMENT, " "))) return gap.trim();
    }
    position = Math.max(position, span.end);
  }
  return undefined;
}

const PUNCTUATION =
  /^(?:\s|\\\n|[;&|(){}]|\b(?:if|then|elif|else|fi|for|in|do|done|while|until|case|esac)\b)*$/;
// Where a shell is told not to know comments, their words are arguments: these could do no harm as such.
const HARMLESS_COMMENT = /(?<=^|\s)#[\w .,:]*$/gm;
