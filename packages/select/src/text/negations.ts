/**
 * How authors say what a skill is not for, in the languages of selection. Only phrases about use count.
 *
 * Patterns in `LAST` end a sentence, and the whole sentence then says what the skill is not for.
 */
const FIRST: readonly string[] = [
  String.raw`(?<!(?:that|which|who|users?|patch(?:es)?) )(?:do(?:es)? not|don['’]?t|never|must not|should not|not to be) (?:be )?(?:use|used|trigger|invoke|activate|apply|load|fire|reach)(?!\p{L})`,
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
  String.raw`(?<!yang )(?:jangan|tidak|bukan) (?:(?:di)?(?:gunakan|pakai)|untuk|cocok)(?!\p{L})`,
];
const FIRST_UNSPACED =
  "不要(?:用|使用|触发|觸發)|不(?:适用|適用|用于|用於|触发|觸發|應)|勿(?:用|使用)|[别別]用";
const LAST: readonly string[] = [
  "(?<!\\p{L})(?:nicht (?:verwenden|benutzen|nutzen|einsetzen)|niet gebruiken)[.!]?$",
  "(?:(?:(?:使用|利用|適用)し|使わ)ない(?:で(?:ください)?|こと|場合)?|(?:使用|利用|適用)できません|対象外(?:です)?)[。.!！:：]*$",
  "(?:사용|적용)하지 ?(?:마|말|않(?:습니다|는다|음|아요))[^,.:]{0,8}[.!:：]*$",
];

// Most sentences have none of these words, and the full pattern takes ten times as long to find that out.
const MAYBE_NEGATION =
  /not|don['’]?t|never|skip|avoid|scope|exclusions|non |n[aã]o|no |pas |nicht|niet|nie |jangan|tidak|bukan|не |[不勿别別]|しない|できません|使わない|対象外|하지/i;
const negation = onFirstUse(
  () => new RegExp(`(?<last>${LAST.join("|")})|(?<!\\p{L})(?:${FIRST.join("|")})|${FIRST_UNSPACED}`, "iu"),
);

/** The part of a sentence that says what a skill is not for: its start, and the end of the negating words. */
export function findNegation(sentence: string): { readonly start: number; readonly end: number } | undefined {
  const found = MAYBE_NEGATION.test(sentence) ? negation().exec(sentence) : null;
  if (found === null) return undefined;
  const end = found.index + found[0].length;
  return { start: found.groups?.last === undefined ? found.index : 0, end };
}

// The start of a clause, as in an order; elsewhere the words report something: "the tests don't run".
const ORDER = String.raw`(?<=^|[,.;:!?，。；：！？(\n–—]\s{0,2}|\b(?:but|and|or|please|just|aber|und|bitte|mais|et|pero|y|ma|e|mas|maar|en|so)\s)`;
// In the middle of a sentence, where a negation limits the preceding request.
const BESIDE = String.raw`(?<=[\p{L}\p{N}][,(]\s{0,2}|\b(?:but|and|or|aber|und|mais|et|pero|y|ma|e|mas|maar|en|so)\s)`;
// Negated use: what follows is not wanted, whatever else the message says.
const NOT_USING: readonly string[] = [
  String.raw`${ORDER}(?:do not|don['’]?t|never|not) (?:use|using|run|load|call|invoke|activate|trigger|with|via)(?!\p{L})`,
  String.raw`(?<!\p{L})(?:without (?:using|running|loading|invoking|calling)|stop using|except (?:using|with)|i (?:do not|don['’]?t) (?:want|need)(?! to ))(?!\p{L})`,
  String.raw`${ORDER}no (?=(?:[^\s,.;:!?]+ ){1,3}(?:please|thanks)[.!]?$)`,
  String.raw`(?:${ORDER}(?:no|not|never)|(?<!\p{L})except(?: for)?) (?=\[?[$/]\p{L})`,
  String.raw`(?<!\p{L})(?:benutz|verwend|nutz|nimm|start)\p{L}* (?:\p{L}+ ){0,2}?(?:nicht|kein\p{L}*) `,
  String.raw`(?<!\p{L})n['’](?:utilise|emploie)\p{L}* pas `,
  String.raw`${ORDER}(?:no (?:uses?|usar|utilices?)|non usare|n[aã]o uses?|gebruik (?:\p{L}+ )?(?:niet|geen)|nie używaj|не используй\p{L}*|jangan (?:gunakan|pakai)) `,
  "(?:不要|不用|不需要|无需|(?<!\\p{Script=Han})[别別])(?:用|使用|跑|运行)",
];
// These may also report a problem ("No space left on device"), so they count only beside something else.
const NOT_DOING: readonly string[] = [
  `(?:${ORDER}(?:do not|don['’]?t|never)|\\bi (?:do not|don['’]?t) (?:want|need) to) (?!forget|worry|know|understand|think|see|get|have|care|mind|hesitate|be )`,
  String.raw`${BESIDE}(?:no(?! (?:problem|idea|matter|one|way|longer|errors?|puedo|s[eé]|me|hay|es|est[aá]|tengo|funciona|aparece)(?!\p{L}))|not(?! (?:sure|only|just|yet|able|working|too)\b)|skip|nicht|kein(?:e[nrm]?)?|pas (?:de|du|avec)|geen|niet|bez|без|sans|ohne|sin|sem|senza|zonder|tanpa|jangan) `,
  String.raw`(?<=[\p{L}\p{N}],? )(?:instead of|rather than|anstatt|statt|au lieu de|en vez de|invece di|em vez de|in plaats van|вместо) `,
  String.raw`(?<!\p{L})leave (?=[^,.;\n]{1,60}? (?:alone|out)(?!\p{L}))|${ORDER}skip `,
  String.raw`${ORDER}(?:mach\p{L}* (?:nicht|kein\p{L}*)|ne (?:fais|lance|touche|crée)\p{L}* pas|non (?:fare|toccare|voglio)|n[aã]o (?:faça|quero|preciso)|nie (?:rób|uruchamiaj|chcę)|не (?:делай|запускай|трогай|нужно|надо)\p{L}*) `,
  "(?:不要|不用|不需要|无需|(?<!\\p{Script=Han})[别別])做?",
];
const FILLERS =
  "ever|you|to|use|using|run|load|call|invoke|activate|trigger|apply|execute|start|the|any|either|of|my|our|your|this|that|skill|command";
const REST = String.raw`(?:(?![,.;:!?](?:\s|$)|[，。；：！？\n–—]|\s(?:[$/]\p{L}|(?:and|so|then|when|while|because|but|just|only|instead|und|dann|wenn|aber|sondern|nur|et|quand|mais|seulement|y|cuando|pero|sino|solo|e|ma|mas|en|maar|и|но)\s))[^]){0,200}`;
const ruledOut = onFirstUse(
  () =>
    new RegExp(
      `(?<said>(?:(?<using>${NOT_USING.join("|")})|${NOT_DOING.join("|")})${String.raw`\s*(?:(?:${FILLERS})\s+)*`})(?:\\[?[$/]\\p{L}[^\\s,.;:!?]*)?${REST}|[^,.;:!?，。、；：！？\n]{0,60}(?:使わ(?:ないで|ず)|しないで|なしで|없이|하지 ?마|쓰지 ?마)`,
      "giu",
    ),
);
// A cheap first test: most messages have none of these words.
const MAYBE_RULED_OUT =
  /\bno[nt]?\b|don['’]?t\b|never|skip|without|except|instead|rather|leave|stop|kein|nicht|ohne|statt|pas |sans|lieu|\bsin |vez|senza|invece|n[aã]o|sem |geen|niet|zonder|nie |bez|не |без|вместо|jangan|tanpa|[不无别別]|ない|ず|なし|없이|마/i;

interface RuledOut {
  readonly start: number;
  readonly end: number;
  /** Where the negating words end and the ruled-out part begins. */
  readonly object: number;
  /** The message says not to use something; other negations may only report a problem. */
  readonly isAboutUse: boolean;
}

/** The parts of a message that rule something out: "don't use this", "but no slides". */
export function findRuledOut(text: string): readonly RuledOut[] {
  if (!MAYBE_RULED_OUT.test(text)) return [];
  return Array.from(text.matchAll(ruledOut()), ({ 0: found, index, groups = {} }) => ({
    start: index,
    end: index + found.length,
    object: index + (groups.said ?? "").length,
    isAboutUse: groups.using !== undefined || groups.said === undefined,
  }));
}

/** Unicode properties are slow to build, and every command that opens a session loads this file. */
function onFirstUse(build: () => RegExp): () => RegExp {
  let built: RegExp | undefined;
  return () => {
    built ??= build();
    return built;
  };
}
