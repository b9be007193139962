/** The words of an XML document: tags gone, paragraphs and cells on lines of their own, entities decoded. */
export function markupText(markup: string): string {
  return markup
    .replace(BREAKS, "\n")
    .replace(TAGS, "")
    .replace(ENTITIES, decodeEntity)
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

const BREAKS =
  /<\/(?:w:p|a:p|text:p|text:h|si|row|c|p|h[1-6]|li|div|tr)>|<(?:w:br|w:cr|a:br|text:line-break|br)\b[^<>]{0,200}>/gi;
const TAGS = /<[^<>]*>/g;
const ENTITIES = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(lt|gt|amp|quot|apos));/gi;
const NAMED: ReadonlyMap<string, string> = new Map([
  ["lt", "<"],
  ["gt", ">"],
  ["amp", "&"],
  ["quot", '"'],
  ["apos", "'"],
]);

function decodeEntity(whole: string, decimal?: string, hexadecimal?: string, name?: string): string {
  if (name !== undefined) return NAMED.get(name.toLowerCase()) ?? whole;
  const point = decimal === undefined ? Number.parseInt(hexadecimal ?? "", 16) : Number(decimal);
  return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : whole;
}
