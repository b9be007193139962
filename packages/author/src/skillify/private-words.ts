/** A text of the conversation, with the names of fields above it where it was part of a call. */
export interface ReadText {
  readonly text: string;
  /** The field that it is the value of. */
  readonly field?: string | undefined;
  /** Said by somebody, and not what a program took or returned. */
  readonly isSpeech: boolean;
}

const SECRET_WORD =
  "(?:pass(?:word|wd|phrase|code|wort)?|pwd?|kennwort|contraseña|senha|secret|token|(?:api|access|private|account|signing|master|auth)[_-]?key|credentials?|authorization|bearer|session[_-]?(?:id|key))";
const VALUE = String.raw`([^\s"'\\&;,<>\[\](){}|$\x60]{3,})`;
/** The value is the last group of each. */
const NAMED_SECRETS: readonly RegExp[] = [
  // `DB_PASSWORD=x`, `"token": "x"`, `Authorization: Bearer x`
  new RegExp(
    String.raw`(?<=\b|_|[A-Z]{2})${SECRET_WORD}[A-Za-z0-9_-]{0,20}\\{0,3}["']?\s{0,3}(?:=|:|%3[AD])\s{0,3}(?:(?:Bearer|Basic|token)\s+)?\\{0,3}["']?${VALUE}`,
    "gi",
  ),
  // `--api-key x`, `-storepass x`, `_authToken x`
  new RegExp(
    String.raw`(?:--?|_)[a-z-]{0,20}${SECRET_WORD}[a-z-]{0,10}(?:\s{1,3}|=)["']?([^\s"'&;|<>$-][^\s"'&;|<>$]{2,})`,
    "gi",
  ),
  /\b(?:password|passphrase|passcode|token|secret|pin|api key|passwort|kennwort|mot de passe|contraseña|senha) (?:is|was|ist|lautet|est|es|é) (?:"([^"\n]{3,60})"|'([^'\n]{3,60})'|\x60([^\x60\n]{3,60})\x60|([^\s"'\x60,;]{3,60}))/giu,
  /\b(?:Bearer|Basic)\s+([A-Za-z0-9._~+/=-]{8,})/g,
  /\bcookie["']?\s{0,3}:\s{0,3}([^"'\n]{3,2000})/gi,
  // Passwords that programs take by a short option or from a pipe.
  /\bcurl\b[^\n|;]{0,300}?\s(?:-u|--user)[ =]?["']?[^\s:"']{1,60}:([^\s"']{3,})/g,
  /\bcurl\b[^\n|;]{0,300}?\s(?:-b|--cookie)[ =]?["']?([^\s"'@]{3,})/g,
  /\b(?:mysql\w*|mariadb|sshpass|7z)\b[^\n|;]{0,200}?\s-p["']?([^\s"']{3,})/g,
  /\b(?:sshpass|twine|mongo\w*|(?:docker|podman|helm|az|oc)\b[^\n|;]{0,60}\blogin)\b[^\n|;]{0,200}?\s-p\s+["']?([^\s"']{3,})/g,
  /\b(?:zip|unzip|sqlcmd|mosquitto_\w+)\b[^\n|;]{0,200}?\s-P\s*["']?([^\s"']{3,})/g,
  /\b(?:openssl\b[^\n|;]{0,200}?\s-[kK]|redis-cli\b[^\n|;]{0,200}?\s-a|ldap\w+\b[^\n|;]{0,200}?\s-w)\s+["']?([^\s"']{3,})/g,
  /\b(?:smbclient|rpcclient|mount|net)\b[^\n|;]{0,200}?\s-U\s*["']?[^\s%"']{1,60}%([^\s"']{3,})/g,
  /\b(?:echo|printf)\s+(?:-n\s+)?["']?([^\s"'|]{3,200})["']?\s{0,3}\|\s{0,3}(?:sudo\s+-\w*S|[^\n|]{0,80}(?:stdin|\blogin\b)|(?:sudo\s+)?(?:ch)?passwd|base64\s+(?:-\w*[dD]|--decode))/g,
  // In SQL, for `lftp`, and in several words.
  /\b(?:PASSWORD|IDENTIFIED BY)\s+['"\\]{1,6}([^'"\\\s]{3,})/gi,
  /\blftp\b[^\n|;]{0,200}?\s-u\s*["']?[^\s,"']{1,60},([^\s"']{3,})/g,
  /\b(?:code|password|passphrase|passwort)\s+((?:\p{Lu}\p{L}+|\d+)(?: (?:\p{Lu}\p{L}+|\d+)){1,4})/gu,
  /\bsend(?:line)?\s+\\?["']([^"'\\\n]{3,100})\\+r/g,
];
/** `STRIPE_KEY=x`, `X-Pat: x`: many names end like this that are no secret's, so the value must look like one. */
const WEAK_NAMES = new RegExp(
  String.raw`(?<=[A-Za-z0-9][_-])(?:key|dsn)["']?\s{0,3}[=:]\s{0,3}["']?${VALUE}|(?<![A-Za-z0-9])(?:pat|pin|otp|auth|sid|session|password|passwd)(?:["']?\s{0,3}[=:]\s{0,3}|\s)["']?${VALUE}`,
  "gi",
);
/** Programs whose arguments are secrets: what they set is the last word, or stands after `=`. */
const SETS_SECRETS =
  /\b(?:(?:gh|glab|fly|flyctl|wrangler|doppler) (?:secrets?|variable) (?:set|put)|vault (?:kv )?(?:put|write)|(?:kubectl|oc) create secret|aws (?:configure set|secretsmanager|ssm put-parameter)|az keyvault secret set|heroku config:set|npm config set|htpasswd|chpasswd|wpa_passphrase)\b([^\n|;&]{1,500})/g;
const SECRET_TALK =
  /(?<![\p{L}\d])(?:pass(?:word|wort|phrase|code)s?|парол\p{L}*|hase?ł\p{L}*|passwd|pwd?|pin|tan|otp|kennwort|mot de passe|contraseña|clave|senha|wachtwoord|credentials?|zugangsdaten|secrets?|geheim\w*|confidential|vertraulich|api[ -]?keys?|tokens?|logins?|log ?in (?:with|as)|sign in (?:with|as))(?![\p{L}\d])/iu;
/** Codes that are words: `oauth2`, `10MB`, `PROJ-12`, `v1.2.3`, a commit, a file. */
const ORDINARY =
  /^(?:v?\d[\d.,:/x%-]*[a-z]{0,3}|[a-z]{1,2}\d{1,3}[a-z]?|#\d+|[0-9a-f]{7,40}|.*\.[a-z]{1,5}\d?|(?:oauth|sha|base|md|utf-?|ipv?|rs|hs|es|aes-?|python|node|java|http\/?|mp|log|neo|vue|boto|psycopg|sqlite|pip|pkcs|argon|ed|curve|web|fido|tls|ssl|arm|amd|win|x86_|i18|a11|l10)\d*\w?|release[-/].*)$/i;
const CODE =
  /^(?=.*\p{Lu})(?=.*_)\S{4,100}$|^(?=.*(?:\d|[!#%^*+~?=]\S))(?=.*\p{L})\S{4,100}$|^(?=.*\p{L}\d|.*\d\p{L})\S{4,100}$/u;
/** Words that follow a secret's name without being one. */
const NOT_SECRET =
  /^(?:true|false|null|none|undefined|required|optional|missing|invalid|expired|wrong|empty|correct|string|number|the|an?|not|in|is|for|from|your|my|test|and|or|to|of|with|[\w.]*env[\w.]*|\*+|<.*|\[.*|\.\.\.|\$.*|%.*|[-–—=:.]+)$/i;
const BASE64 = /(?<![\w+/=-])[A-Za-z0-9+/]{8,400}={0,2}(?![\w+/=])/g;

/** Puts something in the place of each value that a name, an option or a header beside it calls a secret. */
export function replaceNamedSecrets(text: string, show: () => string): string {
  const put = (whole: string, ...rest: readonly unknown[]): string => {
    const groups = rest.slice(
      0,
      rest.findIndex((one) => typeof one === "number"),
    );
    const value = String(groups.findLast((one) => one !== undefined) ?? "");
    const at = whole.lastIndexOf(value);
    return NOT_SECRET.test(value) ? whole : whole.slice(0, at) + show() + whole.slice(at + value.length);
  };
  return NAMED_SECRETS.reduce((shown, pattern) => shown.replace(pattern, put), text).replace(
    WEAK_NAMES,
    (whole, left?: string, right = left) => (isCode(right ?? "") ? put(whole, right, 0) : whole),
  );
}

/** Secrets that a text tells, by what stands around them. */
export function secretsIn({ text, field, isSpeech }: ReadText): readonly string[] {
  const found: string[] = [];
  if (field !== undefined && new RegExp(`${SECRET_WORD}$`, "i").test(field) && text.length <= 400)
    found.push(text);
  for (const pattern of NAMED_SECRETS)
    for (const match of text.matchAll(pattern)) found.push(match.findLast((one) => one !== undefined) ?? "");
  for (const [, left = "", right = left] of text.matchAll(WEAK_NAMES)) if (isCode(right)) found.push(right);
  for (const [, tail = ""] of text.matchAll(SETS_SECRETS)) {
    const words = tail
      .split(/\s+/)
      .map((word) => bare(word.slice(word.lastIndexOf("=", word.length - 2) + 1)));
    found.push(
      ...words.filter((word, at) => !/^[-/.]/.test(word) && (isCode(word) || at === words.length - 1)),
    );
  }
  if (isSpeech)
    for (const sentence of text.split(/(?<=[.!?])\s+|\n/))
      if (SECRET_TALK.test(sentence))
        found.push(
          ...sentence
            .split(/[\s,:;/]+/)
            .map(bare)
            .filter(isCode),
        );
  for (const [coded] of text.matchAll(BASE64)) found.push(...decoded(coded));
  return found.filter((value) => !NOT_SECRET.test(value));
}

const bare = (word: string): string => word.replaceAll(/^["'\x60(<]+|["'\x60)>.,;]+$/g, "");
const isCode = (word: string): boolean =>
  CODE.test(word) && !ORDINARY.test(word) && !/^[A-Z]{2,6}-\d{1,5}$/.test(word);

/** `user:password` in Base64, which anybody reads: as it is, and the password. */
function decoded(coded: string): readonly string[] {
  if (coded.length % 4 !== 0) return [];
  const plain = Buffer.from(coded, "base64").toString("latin1");
  if (!/^[\x20-\x7e]{5,}$/.test(plain)) return [];
  const [, password] = /^[^\s:]{2,60}:(\S{3,})$/.exec(plain) ?? [];
  return password !== undefined ? [coded, password] : coded.endsWith("=") ? [coded] : [];
}

const NAME = String.raw`\p{Lu}[\p{L}.'’-]+(?: \p{Lu}[\p{L}.'’-]*){0,3}`;
/** Of a home's owner; with spaces only where capitals and a separator show that they belong to it. */
const OWNER = String.raw`([\p{L}\d][\p{L}\d._-]*(?: \p{Lu}[\p{L}\d._-]*){1,2}(?=[\\/])|[\p{L}\d][\p{L}\d._-]*)`;
export const HOME: RegExp = new RegExp(
  String.raw`(?:\/(?:home|Users)|[A-Za-z]:(?:\\{1,4}|\/)Users)(?:\/|\\{1,4})${OWNER}(?=[\\/\s"'\x60:;,)]|$)|(?<![\w/~])~([a-z][\w.-]{2,31})(?=\/)`,
  "gu",
);
const MAIL = /(?<![\w/.+-])[\w.+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})*\.[A-Za-z]{2,24}\b/g;
const REMOTE =
  /\b(?:ssh|scp|sftp|rsync|mosh)\b[^\n|;&]{0,200}?\b([\w.-]{2,64})@([\w-]{2,64}(?:\.[\w-]{2,64})*)/g;
/** The name is the last group of each; hosts without a digit or hyphen are words. */
const NAMED_PEOPLE: readonly RegExp[] = [
  new RegExp(String.raw`(?:^|[\s"'(:=])(${NAME})\s*<[\w.+-]{1,64}@`, "gu"),
  new RegExp(
    String.raw`\b(?:[A-Z][a-z]+(?:-[a-z]+)?-by|Author|Committer|Reporter|Assignee|Contact):\s{0,3}(${NAME})`,
    "gu",
  ),
  new RegExp(String.raw`\b(?:Mr|Mrs|Ms|Dr|Prof|Herrn?|Frau|Mme|Señora?)\.?\s+(${NAME})`, "gu"),
  /(?:--(?:add-)?(?:reviewers?|assignees?|authors?|owners?|username|login)[ =]|\bsudo\s+-u\s+|\bchown\s+(?:-\w+\s+)?)["']?([A-Za-z][\w.-]{2,38})/g,
  new RegExp(String.raw`\buser\.name[ =]["']?(${NAME})`, "gu"),
  /(\p{Lu}[\p{Ll}'’-]+ \p{Lu}[\p{Ll}'’-]+) (?:will|has|said|says|wants|knows|asked|told)\b/gu,
  /\bsmbclient\b[^\n|;]{0,200}?\s-U\s*["']?([A-Za-z][\w.-]{2,38})%/g,
  /\bsmbclient\s+["']?\/\/([\w.-]{3,60})\//g,
  /^[-dl][rwxsStT-]{9}[.+@]?\s+\d+\s+([a-z][\w.-]{2,31})\s/gm,
  /\bssh\s+(?:-\w+\s+(?:[^\s-]\S*\s+)?){0,4}([A-Za-z][\w.]{0,60}[\d-][\w.-]{0,60})(?=\s|$|["'])/g,
];
const TOLD =
  /\b(?:[Aa]sk(?:ing)?|[Tt]ell|[Pp]ing|[Cc][Cc]|[Cc]ontact|[Ii]nform|[Nn]otify|[Rr]emind|[Ff]rag|[Dd]ear|[Hh]i|[Hh]ello|(?:by|from|to|for|with|mail|call|von|für|mit) (?=\p{Lu}[\p{L}'’-]+ \p{Lu}[\p{L}'’-]+))\s*(\p{Lu}[\p{Ll}'’-]{2,}(?: \p{Lu}[\p{Ll}'’-]+)?)/gu;
const HANDLE = /(?<![\w@/.\x60])@([A-Za-z][\w-]{2,38})(?![\w/@.(-])/g;
/** Products with two capitals, which people are not. */
const PRODUCTS =
  /\b(?:Claude|Code|Codex|Copilot|Gemini|ChatGPT|Google|Microsoft|Amazon|Adobe|Apple|Visual|Studio|Power|Cloud|Azure|Excel|Word|Pull|Request|Merge|New|United|North|South|San|Los|Open|Native|Node|Docker|Git|Next|React|Spring|Red|Type|Script|Actions|Pages|Sheets|Docs|Drive|Teams|Slack|Jira|Linear|Notion|Terraform|Kubernetes|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|January|February|March|April|May|June|July|August|September|October|November|December|English|German|French|Spanish|Italian|Use|Run|The|This|Please)\b/;

/** Names of people, users and machines that a text tells. */
export function namesIn({ text, isSpeech }: ReadText): readonly string[] {
  const found: string[] = [];
  for (const [, owner, short] of text.matchAll(HOME)) found.push(owner ?? short ?? "");
  for (const pattern of NAMED_PEOPLE)
    for (const match of text.matchAll(pattern)) found.push(match.at(-1) ?? "");
  // A public host says nothing about a person.
  for (const [, user = "", host = ""] of text.matchAll(REMOTE))
    found.push(user, ...(/\.(?:com|org|io|dev|net)$/.test(host) ? [] : [host]));
  for (const [address] of text.matchAll(MAIL))
    if (!isPublic(address)) found.push(address.split("@")[0] ?? "");
  if (isSpeech) {
    for (const [, name = ""] of text.matchAll(HANDLE)) found.push(name);
    for (const [, name = ""] of text.matchAll(TOLD)) if (!PRODUCTS.test(name)) found.push(name);
  }
  return found;
}

export const ADDRESSES: readonly RegExp[] = [
  MAIL,
  /\b(?!127\.|0\.0\.0\.0|255\.)(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)\b(?!\.\d)/g,
  /(?<![\w:])(?:(?:[0-9a-f]{1,4}:){4,7}[0-9a-f]{1,4}|(?=[a-f:]{0,20}\d)[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){0,6}::(?:[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){0,6})?)(?![\w:])/gi,
  /(?<![\w.-])(?:[\w-]{1,63}\.){1,5}(?:internal|intranet|corp|lan|local|intra|home\.arpa)\b/g,
  /(?<![\w.-])(?:[\w-]{1,63}\.){0,4}[\w-]{0,40}-(?:intern|internal|intra|corp)\.[a-z]{2,12}\b/g,
  /\\{2,4}[A-Za-z][\w.-]{1,60}\\{1,2}[\w$.-]{2,60}(?:\\{1,2}[\w$.-]{1,60}){0,20}/g,
  // Telephones, accounts, cards, streets.
  /(?<![\w.+-])(?:\+\d{1,3}[ (-]?\d[\d ()-]{6,16}\d|\(\d{3}\) ?\d{3}[-. ]\d{4}|\d{3}[-.]\d{3}[-.]\d{4}|0\d{2,4}[ /-]\d{5,9}|\d{2}[ -]\d{3}[ -]\d{2}[ -]\d{2})\b/g,
  /\b(?:ulica|ul\.|aleja|al\.) \p{Lu}[\p{L} .-]{1,40} \d{1,4}(?:\/\d{1,4})?(?:, \d{2}-\d{3} \p{Lu}\p{L}+)?/gu,
  /\b[A-Z]{2}\d{2}(?: ?(?=[A-Z0-9]{0,3}\d)[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b/g,
  /(?<![\w.-])\d{4}([ -]?)\d{4}\1\d{4}\1\d{4}(?![\w.-])/g,
  /\b\p{Lu}[\p{L}-]{1,40}(?:stra(?:ße|sse)|str\.|weg|platz|gasse|allee)\s\d{1,4}\s?[a-z]?\b(?:,?\s\d{4,5} \p{Lu}\p{L}+)?/gu,
  /\b\d{1,5}[A-Z]? (?:\p{Lu}[\p{L}'.-]{1,30} ){1,3}(?:Street|St|Road|Rd|Avenue|Ave|Lane|Drive|Boulevard|Blvd|Court|Square)\b/gu,
  /\b\d{1,4},? (?:rue|avenue|boulevard|via|calle|place) (?:(?:de|du|des|la|le) )*\p{Lu}[\p{L}'-]+/gu,
];

/** Addresses of services and of documentation. */
export function isPublic(address: string): boolean {
  return /^git@|@(?:example\.(?:com|org|net)|users\.noreply\.github\.com)$|^(?:noreply|no-reply)@/i.test(
    address,
  );
}
