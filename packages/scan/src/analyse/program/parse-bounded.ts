import { type Parser, type SyntaxNode, Tree } from "@lezer/common";

/** Steps of one text on which the parser may try to recover: each costs ten ordinary ones. */
const MAX_RECOVERING_STEPS = 8_000;
/** Steps beyond the depth at which the parser starts to cut its own stack, where each costs a hundred. */
const MAX_DEEP_STEPS = 400;
const DEEP_STACK = 6_000;
const MAX_RESTARTS = 8;

/** What could be parsed of a text: one root as a rule, more where parts had to be left out. */
interface ParsedText {
  readonly roots: readonly SyntaxNode[];
  /** Whether parts were left out because they cost more than they could be worth. */
  readonly isCut: boolean;
}

/** Parses a text in bounded work: runs of nonsense that make the parser crawl are left out up to the next line. */
export function parseBounded(parser: Parser, text: string): ParsedText {
  const roots: SyntaxNode[] = [];
  let from = 0;
  const spent = { recovering: 0, deep: 0 };
  for (let restart = 0; restart <= MAX_RESTARTS; restart++) {
    const { tree, end } = parsePart(parser, text, from, spent);
    roots.push(rootAt(tree, from, text.length));
    if (end === undefined) return { roots, isCut: restart > 0 };
    const line = text.indexOf("\n", end);
    if (line === -1 || restart === MAX_RESTARTS) break;
    from = line + 1;
    spent.deep = 0;
    if (spent.recovering >= MAX_RECOVERING_STEPS) break;
  }
  return { roots, isCut: true };
}

/** Positions in a tree count from where its part begins; around it, they count from the beginning of the text. */
function rootAt(tree: Tree, from: number, length: number): SyntaxNode {
  if (from === 0) return tree.topNode;
  const whole = new Tree(tree.type, [tree], [from], length);
  return whole.topNode.firstChild ?? whole.topNode;
}

/** The parser's own counters, which its interface does not name; without them there is no bound but the length. */
interface Counters {
  readonly recovering?: number;
  readonly stacks?: readonly { readonly stack?: { readonly length: number } }[];
}

function parsePart(
  parser: Parser,
  text: string,
  from: number,
  spent: { recovering: number; deep: number },
): { readonly tree: Tree; readonly end: number | undefined } {
  const parse = parser.startParse(text, undefined, [{ from, to: text.length }]);
  const counters: Counters = parse as Counters;
  let end: number | undefined;
  for (;;) {
    const tree = parse.advance();
    if (tree !== null) return { tree, end };
    if (end !== undefined) continue;
    if ((counters.recovering ?? 0) > 0) spent.recovering++;
    if ((counters.stacks?.[0]?.stack?.length ?? 0) > DEEP_STACK) spent.deep++;
    if (spent.recovering < MAX_RECOVERING_STEPS && spent.deep < MAX_DEEP_STEPS) continue;
    end = Math.max(parse.parsedPos, from);
    parse.stopAt(end);
  }
}
