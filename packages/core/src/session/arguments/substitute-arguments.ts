import { checkRendered } from "./argument-limits.ts";
import { findTokens, type Substitution } from "./find-tokens.ts";

/** A text with its tokens replaced. */
export interface Substituted {
  readonly text: string;
  /** Whether an argument that was given stands in the text now. */
  readonly usesArguments: boolean;
}

/**
 * Replaces `$ARGUMENTS`, `$ARGUMENTS[N]`, `$N`, declared `$name` and `${VARIABLE}` in one pass: what a value brings is
 * never replaced again.
 *
 * Positional tokens are left alone where no such argument was given, because `$5` is more often a price than a place.
 */
export function substituteArguments(text: string, substitution: Substitution): Substituted {
  let result = "";
  let done = 0;
  let usesArguments = false;
  for (const { start, end, value, isEscaped, isArgument } of findTokens(text, substitution)) {
    if (isEscaped) result += text.slice(done, start - 1) + text.slice(start, end);
    else result += text.slice(done, start) + (value ?? text.slice(start, end));
    usesArguments ||= isArgument && !isEscaped;
    done = end;
    checkRendered(result.length);
  }
  return { text: result + text.slice(done), usesArguments };
}
