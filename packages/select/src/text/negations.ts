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
const negation = onFirstUse(
  () => new RegExp(`(?<last>${LAST.join("|")})|(?<!\\p{L})(?:${FIRST.join("|")})|${FIRST_UNSPACED}`, "iu"),
);

/** The part of a sentence that says what a skill is not for: where it begins, and where the words of negation end. */
export function findNegation(sentence: string): { readonly start: number; readonly end: number } | undefined {
  const found = MAYBE_NEGATION.test(sentence) ? negation().exec(sentence) : null;
  if (found === null) return undefined;
  const end = found.index + found[0].length;
  return { start: found.groups?.last === undefined ? found.index : 0, end };
}

// The beginning of a clause, where an order stands; elsewhere the same words tell of something: "the tests don't run".
const ORDER = String.raw`(?<=^|[,.;:!?，。；：！？(\n–—]\s{0,2}|\b(?:but|and|or|please|just|aber|und|bitte|mais|et|pero|y|ma|e|mas|maar|en|so)\s)`;
const RULING_OUT: readonly string[] = [
  String.raw`${ORDER}(?:do not|don['’]?t|never) (?!forget|worry|know|understand|think|see|get|have|care|mind|hesitate|be )`,
  String.raw`(?<!\p{L})i (?:do not|don['’]?t) (?:want|need)(?!\p{L})`,
  String.raw`${ORDER}(?:no(?! (?:problem|idea|matter|one|way|longer|errors?|puedo|s[eé]|me|hay|es|est[aá]|tengo|funciona|aparece)(?!\p{L}))|not(?! (?:sure|only|just|yet|able|working|too)\b)|skip|nicht|kein(?:e[nrm]?)?|pas (?:de|du|avec)|geen|niet|bez|без|sans|ohne|sin|sem|senza|zonder|tanpa|jangan) `,
  String.raw`(?<!\p{L})(?:without (?:using|running|loading|invoking|calling)|stop using|instead of|rather than|anstatt|statt|au lieu de|en vez de|invece di|em vez de|in plaats van|вместо) `,
  String.raw`(?<!\p{L})leave (?=[^,.;\n]{1,60}? (?:alone|out)(?!\p{L}))`,
  String.raw`(?<!\p{L})(?:benutz|verwend|nutz|nimm|mach|start)\p{L}* (?:\p{L}+ ){0,2}?(?:nicht|kein\p{L}*) `,
  String.raw`(?<!\p{L})n['’](?:utilise|emploie)\p{L}* pas |${ORDER}ne (?:fais|lance|touche|crée)\p{L}* pas `,
  String.raw`${ORDER}(?:non (?:usare|fare|toccare|voglio)|n[aã]o (?:use|uses|faça|quero|preciso)|gebruik (?:\p{L}+ )?(?:niet|geen)|nie (?:używaj|rób|uruchamiaj|chcę)|не (?:используй|делай|запускай|трогай|нужно|надо)\p{L}*) `,
  "(?:不要|不用|不需要|无需|(?<!\\p{Script=Han})[别別])(?:用|使用|做|跑|运行)?",
];
const ruledOut = onFirstUse(
  () =>
    new RegExp(
      `(?:${RULING_OUT.join("|")})${String.raw`(?:(?![,.;:!?](?:\s|$)|[，。；：！？\n–—]|\s(?:but|just|only|instead|aber|sondern|nur|mais|seulement|pero|sino|solo|ma|mas|maar|но)\s)[^]){0,200}`}|[^,.;:!?，。、；：！？\n]{0,60}(?:使わ(?:ないで|ず)|しないで|なしで|없이|하지 ?마|쓰지 ?마)`,
      "giu",
    ),
);
// The parts of a message where people rule something out, as ranges; most messages have none of these words.
const MAYBE_RULED_OUT =
  /\bno|n['’]?t\b|never|skip|without|instead|rather|leave|stop|kein|nicht|ohne|statt|pas |sans|lieu|\bsin |vez|senza|invece|n[aã]o|sem |geen|niet|zonder|nie |bez|не |без|вместо|jangan|tanpa|[不无别別]|ない|ず|なし|없이|마/i;

/** The parts of a message that rule something out, "don't use this" and "no slides", as the ranges of their characters. */
export function findRuledOut(text: string): readonly { readonly start: number; readonly end: number }[] {
  if (!MAYBE_RULED_OUT.test(text)) return [];
  return Array.from(text.matchAll(ruledOut()), ({ 0: found, index }) => ({
    start: index,
    end: index + found.length,
  }));
}

/** Unicode properties are slow to build, and every command that opens a session loads this. */
function onFirstUse(build: () => RegExp): () => RegExp {
  let built: RegExp | undefined;
  return () => {
    built ??= build();
    return built;
  };
}
