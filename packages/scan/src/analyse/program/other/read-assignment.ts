/** What a statement gives a value to. */
export interface OtherAssignment {
  readonly names: readonly string[];
  /** Whether what the names held before is gone: not so where it is added to, or where a field of it is set. */
  readonly replaces: boolean;
  /** A variable of the object, in Ruby, which its other methods see. */
  readonly isShared: boolean;
}

/** The names on the left of an assignment, as any of these languages writes one; undefined where there is none. */
export function readAssignment(code: string): OtherAssignment | undefined {
  const [, left, sign] = ASSIGNMENT.exec(code) ?? [];
  if (left === undefined || sign === undefined) return undefined;
  const names = left
    .split(",")
    .map((part) => /[A-Za-z_]\w*/.exec(part)?.[0] ?? "_")
    .filter((name) => !OUTSIDE.has(name));
  const isField = /^[$@%*&]?\w+(?:\.|->|::|\[|\{)/.test(left);
  const isShared = left.startsWith("@");
  return { names, isShared, replaces: !isField && (sign === "=" || sign === ":=" || sign === "<-") };
}

/** Nobody's, and those that the language itself fills. */
const OUTSIDE: ReadonlySet<string> = new Set([
  "_",
  "ENV",
  "_ENV",
  "_SERVER",
  "STDIN",
  "STDOUT",
  "ARGV",
  "INC",
]);

const ASSIGNMENT =
  /^[\s}({]{0,40}(?:(?:my|our|local|var|let|const|val|auto|final|mut|global|static|set|if|String|byte\[\]|[A-Z][\w.<>[\]]{1,60})\s{1,4}){0,4}\(?([$@%*&]?[A-Za-z_]\w{0,80}(?:(?:\.|->|::)\w{1,80}|(?:->)?(?:\[[^\]]{0,80}\]|\{[^}]{0,80}\}))?(?:\s{0,4}:\s{0,4}[\w<>[\]?.]{1,60})?(?:\s{0,4},\s{0,4}[$@%*&]?[A-Za-z_]\w{0,80}){0,4})\s{0,4}\)?\s{0,8}(=|:=|<-|\+=|\.=|<<|\|\|=|\?=)(?![=~>])/;
