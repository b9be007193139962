import { words } from "../../word-list.ts";

/** Decodes character references of HTML and XML: all numeric ones and the named ones that can spell an address or a command. */
export function decodeEntities(text: string): string {
  return text.includes("&") ? text.replace(REFERENCE, decodeOne) : text;
}

const REFERENCE = /&(?:#x([0-9a-f]{1,8})|#([0-9]{1,8})|([a-z]{2,8}));?/gi;

const NAMED: ReadonlyMap<string, string> = new Map(
  words(`
    amp & lt < gt > apos ' colon : sol / period . comma , semi ; lpar ( rpar ) equals = quest ? excl !
    num # percnt % plus + lowbar _ hyphen - dash - verbar | vert | lsqb [ rsqb ] lcub { rcub } commat @
    ast * ndash – mdash — hellip … lsquo ‘ rsquo ’ ldquo “ rdquo ” laquo « raquo » quot " dollar $
    bsol \\ grave \` nbsp U+A0 tab U+9 newline U+A shy U+AD zwnj U+200C zwj U+200D
  `).flatMap((name, at, list): [string, string][] => {
    const sign = list[at + 1] ?? "";
    const code = /^U\+(.+)$/.exec(sign)?.[1];
    return at % 2 === 1
      ? []
      : [[name, code === undefined ? sign : String.fromCharCode(Number.parseInt(code, 16))]];
  }),
);

function decodeOne(whole: string, hexadecimal?: string, decimal?: string, name?: string): string {
  if (name !== undefined) return NAMED.get(name) ?? NAMED.get(name.toLowerCase()) ?? whole;
  const point =
    hexadecimal === undefined ? Number.parseInt(decimal ?? "", 10) : Number.parseInt(hexadecimal, 16);
  const isCharacter = point > 0 && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff);
  return isCharacter ? String.fromCodePoint(point) : whole;
}
