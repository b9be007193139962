/** Words for an attack, a fault or a danger, in folded text. For judging how a text is introduced, never the text itself. */
export const ATTACK_WORDS: RegExp =
  /\b(?:attack(?:s|er|ers|ing)?|adversar(?:y|ies|ial)|malicious(?:ly)?|malware|inject(?:s|ed|ion|ions|ing)?|jailbreak(?:s|ing)?|phish(?:ing)?|scam(?:s|mers?)?|exfiltrat(?:e|es|ed|ion|ing)|exploit(?:s|ed|ation|able)?|hostile|poison(?:ed|ing)|social[ -]engineering|backdoors?|threats?|red[ -]flags?|suspicious|dangerous|unsafe|insecure|vulnerab(?:le|ility|ilities)|anti-?patterns?|trojan(?:s|ed)?|evasions?|hackers?|spoof(?:ed|ing)?|manipulat(?:e|ion|ive)|untrusted|typosquat\w{0,5}|command[ -]and[ -]control|iocs?|indicators? of compromise)\b|攻击|惡意|恶意|注入|越狱|钓鱼|可疑|危险|不安全|漏洞|威胁|后门|木马|诈骗|攻撃|悪意|атак|вредонос|инъекци|джейлбрейк|фишинг|подозрительн|опасн|уязвим|угроз|мошенни|злоумышлен/;

export const DETECTING_HEAD: RegExp =
  /^[^\p{L}]{0,12}(?:(?:always|also|immediately|please|you should|we|it|the scanner|this skill|rules? that|skills? that)\s{1,4})?(?:flags?|detects?|rejects?|blocks?|refuses?|beware of|be (?:wary|suspicious) of|watch (?:out )?for|look out for|catches|catch|quarantines?)\b|^[^\p{L}]{0,12}(?:标记|检测|拒绝|拦截|警惕)|^[^\p{L}]{0,12}(?:обнаружива|блокиру|отклоня|остерегай)/u;

export const SPECIMEN_NOUNS: RegExp =
  /\b(?:examples?|samples?|specimens?|patterns?|phrases?|signs?|indicators?|signatures?|variants?|payloads?|techniques?|vectors?|types?|categor(?:y|ies)|taxonomy|catalog(?:ue)?|checks?|rules?|detect(?:ion|s|ors?)?|test cases?|scenarios?|strings?|keywords?|commands?|code|prompts?|snippets?|inputs?|messages?|instructions?|requests?|attempts?|behaviou?rs?|flags?|lists?|skills?|content|text|things|forms?)\b|示例|例子|样本|模式|特征|指标|列表|类型|指令|代码|пример|образ[ец]|шаблон|признак|сигнатур|список|фраз|команд/;
