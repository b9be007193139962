const set = (words: string): ReadonlySet<string> => new Set(words.split(" "));

/** Words about what is secret, in the languages that people write in. */
export const SECRET_TALK: RegExp =
  /(?<![\p{L}\d])(?:[\p{L}\d_-]{0,30}[_-])?(?:pass(?:word|wort|phrase|code|wd)?s?|парол\p{L}*|has(?:e)?ł\p{L}*|pwd?|pins?|tan|otp|psk|kennw(?:ort|örter)|mots? de passe|contraseñas?|clave|senhas?|wachtwoord\p{L}*|lösenord|heslo|jelszó|şifre|parola|密码|パスワード|credentials?|creds|zugangsdaten|secrets?|geheim\p{L}*|confidential|vertraulich|(?:api|access|private|account|signing|master|auth)[ _-]?keys?|(?<=[_-])keys?|tokens?|bearer|authorization|cookies?|logins?|log(?:ged)? ?in (?:with|as)|sign in (?:with|as)|dsn)(?![\p{L}\d])/iu;

/** Written with a capital, and nobody's name. */
const PRODUCTS = set(
  "i i'm i'd i'll i've claude code codex copilot gemini chatgpt openai anthropic google microsoft amazon adobe apple visual studio power cloud azure aws excel word powerpoint outlook pull request merge new open native node docker git github gitlab bitbucket next react vue angular svelte spring django flask rails laravel typescript javascript python java rust go ruby php kotlin swift actions pages sheets docs drive teams slack jira linear notion figma canva trello asana zoom discord telegram whatsapp youtube twitter linkedin instagram facebook terraform kubernetes helm ansible jenkins prometheus grafana datadog sentry stripe shopify wordpress moodle postgres postgresql mysql sqlite redis mongodb elasticsearch kafka linux ubuntu debian windows mac macos android ios chrome firefox safari playwright cypress jest vitest pytest eslint prettier webpack vite storybook tailwind markdown swagger openapi graphql latex bibtex zotero photoshop blender unity arduino monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october november december english german french spanish italian polish portuguese dutch chinese japanese european readme changelog dockerfile makefile nginx apache apache2 homebrew node_modules venv tomcat grafana prometheus mariadb rabbitmq gunicorn systemd letsencrypt certbot journal",
);
export const isProduct = (lower: string): boolean => PRODUCTS.has(lower);

const CAPITAL_FILES =
  /^(?:README|CHANGELOG|LICENSE|CONTRIBUTING|AGENTS|CLAUDE|SKILL|Makefile|Dockerfile|Gemfile|Cargo|Jenkinsfile|Procfile|Pipfile)$/;
const CODE_FILE = /\.(?:tsx?|jsx?|vue|svelte|java|kt|cs|swift|cpp|hpp|scala|dart|rb|php)$/;
const PUBLIC_HOSTS = set(
  "github.com api.github.com gitlab.com bitbucket.org npmjs.com www.npmjs.com pypi.org crates.io docs.rs localhost 127.0.0.1 google.com docs.google.com stackoverflow.com wikipedia.org en.wikipedia.org",
);

export const isPublicHost = (host: string): boolean => PUBLIC_HOSTS.has(host);

/** Any other may be a customer. */
const ACRONYMS = set(
  "AI API AWS CA CD CI CLI CLS CMS CORS CPU CRM CRUD CSS CSV CV DB DNS DOI DPI ERP ETL EUR FAQ FTP GBP GDPR GIF GIT GPS GPU GST GUI HR HTML HTTP HTTPS IBAN ICS ID IDE IP IOS ISBN IT JPEG JPG JS JSON JSX JVM JWT KPI LAN LLM MAC MD ML MQTT MR NAS NDA NFS NLP NPM NULL OAUTH OCR ODT OK OS OTP PDF PHP PIN PNG PR PWA QA QR RAM REST RGB ROI RSS SCSS SDK SEO SEPA SFTP SLA SMS SMTP SQL SRT SSD SSH SSL SSO SVG KB MB GB TB TCP TLS TODO TOC TS TSV TSX TTL TV UDP UI URI URL USB USD UTC UTF UUID UX VAT VM VPN VTT WCAG WIFI XLSX XML YAML YML ZIP ADR CHF DOCX RSA",
);

/** Addresses of services and of documentation. */
export function isPublicAddress(address: string): boolean {
  return /^git@(?:github|gitlab)|@(?:users\.noreply\.github\.com)$|^(?:noreply|no-reply)@|^@(?:types|angular|babel|vue|nestjs|testing-library|param|returns?|ts-ignore|media)\b/i.test(
    address,
  );
}

const ENDINGS = set(
  "ts tsx js jsx mjs cjs mts vue svelte css scss less html htm xml json jsonl yaml yml toml ini cfg conf env lock md mdx txt rst adoc tex bib csv tsv xlsx xls docx doc pptx odt pdf png jpg jpeg gif svg webp ico mp mp3 mp4 mov mkv webm wav m4a srt vtt zip gz tgz tar xz bz2 py ipynb rb php java kt kts gradle swift c h cc cpp hpp rs go cs fs sln csproj sh bash zsh ps1 bat sql db sqlite proto graphql tf tfvars hcl log diff patch map snap test spec d config stories dockerfile r jl lua ex exs erl hs scala dart fastq fa bam vcf parquet ics eml mbox epub",
);

/** Whose names are those of parts of a program, and not what somebody called a document. */
const OF_PROGRAMS = /\/[a-z_-]+\.(?:ya?ml|json|toml|conf|ini|[jt]sx?|py|sh|sql|tf|rb|php|go|rs)$/;

/** What is harmless of a path that is not: how it ends, with its name where that is one of a program's parts. */
export function endOfPath(path: string): string {
  if (/:\/\/|@/.test(path)) return "";
  const [name = ""] = OF_PROGRAMS.exec(path) ?? [];
  if (name !== "" && isOrdinaryPath(name.slice(1))) return name;
  const [ending = ""] = /(?:\.[a-z]{2,5})?\.[a-z]\w{0,7}$/.exec(path) ?? [];
  return ending !== "" &&
    ending
      .slice(1)
      .split(".")
      .every((one) => ENDINGS.has(one))
    ? ending
    : "";
}

export function placeholderOf(path: string): string {
  const end = endOfPath(path);
  return end.startsWith("/") ? `<folder>${end}` : `<file>${end}`;
}

/** Abbreviations with digits that everybody uses. */
export const CODES: RegExp =
  /^(?:s3|s3api|ec2|e2e|i18n|l10n|a11y|k8s|oauth2?|utf-?8|mp[34]|h26[45]|ipv[46]|sha(?:1|256|512)|md5|base64|b2b|2fa|[23]d|p9[059]|q[1-4]|h[1-6]|v\d{1,2}|\d{1,2}(?:st|nd|rd|th)|x64|x86|arm64|amd64|python3|pip3|log4j|neo4j|d3|vue3)$/i;

/** A relative path, every part of which is a word; what only has dots may be a machine. */
export function isOrdinaryPath(path: string): boolean {
  if (!/^(?:\.{1,2}\/)*[\p{L}.*_<>][\p{L}\d.*_/<>-]{0,120}$/u.test(path) || /[_-]{2}|\/\//.test(path))
    return false;
  return path.split("/").every((folder, at, all) => {
    const [stem = "", ...endings] = folder.replace(/^\./, "").split(".");
    return (
      (at === 0 || !/^(?:home|users)$/i.test(all[at - 1] ?? "")) &&
      endings.every((ending) => ENDINGS.has(ending) || ending === "*" || ending === "") &&
      stem
        .split(/[*_<>-]+/)
        .every(
          (part) =>
            /^\p{Ll}{0,20}$/u.test(part) ||
            CAPITAL_FILES.test(part) ||
            (CODE_FILE.test(path) && /^[A-Za-z]{1,30}$/.test(part)),
        )
    );
  });
}

const isFileLike = (word: string): boolean => /^[\p{L}\d._/*-]*(?:\/|\.[\p{Ll}\d]{1,8}$)/u.test(word);

/** Whether a word of a sentence says nothing about who and where: in lower case, a product, an acronym, a small number. */
export function isOrdinaryWord(word: string, isCommon: (lower: string) => boolean): boolean {
  if (
    /^\p{Ll}{1,24}(?:['’/]\p{Ll}{1,24}){0,3}$/u.test(word) ||
    /^[\p{Lo}\p{Lm}\p{M}、。「」『』・（）！？〜…]+$/u.test(word)
  )
    return true;
  if (
    /^(?:\d{1,2}|\d{1,3}%|\d{1,2}[:.]\d{2}|20[0-3]\d|\d{1,4}(?:px|kb|mb|gb|ms|s|h|x)|[<>]=?|[+&=→/])$/i.test(
      word,
    )
  )
    return true;
  if (/^\/[a-z]{2,20}$/.test(word) || CODES.test(word) || ACRONYMS.has(word.replace(/s$/, ""))) return true;
  // "AFTER the switch"
  if (/^[A-Z]{2,}$/.test(word) && isCommon(word.toLowerCase())) return true;
  const parts = word.toLowerCase().split(/[/-]/);
  if (/^[\p{L}'/-]+$/u.test(word) && parts.every((part) => PRODUCTS.has(part))) return true;
  // "stary-serwer" is a machine, and "read-only" is not.
  if (/^\p{Ll}+(?:-\p{Ll}+){1,3}$/u.test(word)) return parts.every(isCommon);
  // "Don't" is as common as "don".
  const [plain = ""] = word.toLowerCase().split(/['’]/);
  if (
    (isCommon(word.toLowerCase()) || isCommon(plain)) &&
    /^\p{Lu}\p{Ll}{0,20}(?:['’-]\p{Ll}{1,10})?$/u.test(word)
  )
    return true;
  const [, host, rest = ""] = /^https?:\/\/([\w.-]+)(?::\d{2,5})?(\/.*)?$/.exec(word) ?? [];
  if (host !== undefined) return PUBLIC_HOSTS.has(host) && (rest === "" || isOrdinaryPath(rest.slice(1)));
  return isFileLike(word) && isOrdinaryPath(word);
}
