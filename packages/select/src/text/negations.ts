/**
 * How authors say what a skill is not for, in the languages that the selector reads; only where it is about using the skill.
 *
 * What follows is what it is not for; in `LAST` the negation ends its sentence, and the sentence is.
 */
const FIRST: readonly string[] = [
  String.raw`(?:do(?:es)? not|don['’]?t|never|must not|should not|not to be) (?:be )?(?:use|used|trigger|invoke|activate|apply|load|fire|reach)(?!\p{L})`,
  String.raw`not (?:(?:intended|meant|suitable|applicable|needed|relevant|designed|a (?:good )?fit) )?(?:for|when)(?!\p{L})`,
  "when (?:not|never) to (?:use|invoke|activate|apply)",
  String.raw`(?:skip|avoid) (?:this|it|for|when|if)(?!\p{L})|(?:avoid|out of scope|exclusions|not covered)[*_]*\s*:`,
  String.raw`nicht (?:(?:verwende[nt]|benutze[nt]|nutzen|einsetzen|geeignet|gedacht)(?!\p{L})|f[uü]r |bei |wenn )`,
  String.raw`(?:ne pas (?:l['’])?(?:utiliser|employer|activer)|n['’]utilise[rz]? pas|pas (?:(?:fait|pr[eé]vu|adapt[eé]|destin[eé]) )?pour)(?!\p{L})`,
  String.raw`no (?:se )?(?:usar|uses?|usen|utilizar|utilices?|activar|es para|sirve para|apto para|para)(?!\p{L})`,
  String.raw`n[aã]o (?:use|usar|utilizar|utilize|ativar|dispar\p{L}+|[eé] para|serve para|para)(?!\p{L})`,
  String.raw`non (?:usar\p{L}*|utilizzar\p{L}*|attivar\p{L}*|adatt[aeio] (?:a|per)|per)(?!\p{L})`,
  String.raw`niet (?:(?:te )?(?:gebruiken|gebruikt)|geschikt|bedoeld|voor|wanneer)(?!\p{L})`,
  String.raw`nie (?:u[zż]ywa[cćj]|stosowa[cć]|stosuj|nadaje si[eę]|dla)(?!\p{L})`,
  String.raw`не (?:использ\p{L}*|примен\p{L}*|для|подходит|предназначен\p{L}*)(?!\p{L})`,
  String.raw`(?:jangan|tidak|bukan) (?:(?:di)?(?:gunakan|pakai)|untuk|cocok)(?!\p{L})`,
];
const FIRST_UNSPACED =
  "不要(?:用|使用|触发|觸發)|不(?:适用|適用|用于|用於|触发|觸發|應)|勿(?:用|使用)|[别別]用";
const LAST: readonly string[] = [
  "(?<!\\p{L})(?:nicht (?:verwenden|benutzen|nutzen|einsetzen)|niet gebruiken)[.!]?$",
  "(?:使用|利用|適用)(?:しない|できません)|使わない|対象外",
  "사용하지|적용하지",
];

// Most sentences have none of these, and the full pattern takes ten times as long to say so.
const MAYBE_NEGATION =
  /not|n['’]?t |never|skip|avoid|scope|exclusions|non |n[aã]o|no |pas |nicht|niet|nie |jangan|tidak|bukan|не |[不勿别別]|しない|できません|使わない|対象外|하지/i;
const NEGATION = new RegExp(
  `(?<last>${LAST.join("|")})|(?<!\\p{L})(?:${FIRST.join("|")})|${FIRST_UNSPACED}`,
  "iu",
);

/** The part of a sentence that says what a skill is not for: where it begins, and where the words of negation end. */
export function findNegation(sentence: string): { readonly start: number; readonly end: number } | undefined {
  const found = MAYBE_NEGATION.test(sentence) ? NEGATION.exec(sentence) : null;
  if (found === null) return undefined;
  const end = found.index + found[0].length;
  return { start: found.groups?.last === undefined ? found.index : 0, end };
}
