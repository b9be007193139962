import type { Skill } from "../../../core/src/registry/skill.ts";
import { makeSkill, writeHeader } from "./make-skill.ts";

/** A skill, and a message that its author would expect to call it. */
export interface AskedSkill {
  readonly skill: Skill;
  readonly message: string;
}

/** Skills as people write them, in several styles and languages; always the same, with unique names. */
export function makeVariedLibrary(count: number): readonly Skill[] {
  return makeAskedSkills(count).map(({ skill }) => skill);
}

/** The same skills, each with a message. */
export function makeAskedSkills(count: number): readonly AskedSkill[] {
  return Array.from({ length: count }, (_, index) => {
    const pick = pickerOf(index);
    const job = { topic: TOPICS[index % TOPICS.length] as Topic, deed: pick(DEEDS), number: index };
    const language = pick(LANGUAGES);
    return language === "en" ? writeEnglish(job, pick) : writeForeign(language, job, pick);
  });
}

type Pick = <Item>(items: readonly Item[]) => Item;
type Topic = readonly [thing: string, things: string, near: string, tool: string, file: string];
type Deed = readonly [verb: string, verbs: string, asked: string];
interface Job {
  readonly topic: Topic;
  readonly deed: Deed;
  readonly number: number;
}

function writeEnglish({ topic, deed, number }: Job, pick: Pick): AskedSkill {
  const [thing, things, near, tool, file] = topic;
  const [verb, verbs, asked] = deed;
  const occasion = pick(OCCASIONS);
  const [, otherThings] = pick(TOPICS);
  const descriptions = [
    `${verbs} ${things} with ${tool} and checks ${near}. Use when ${occasion} and a ${thing} has to be ready.`,
    `Use this skill whenever the user wants to ${verb} a ${thing}, mentions ${near}, or uploads a ${file} file.`,
    `A guide to ${things}: how to ${verb} them, what ${tool} is good for, and which mistakes ${near} brings. Do NOT use for ${otherThings}.`,
    `${things} expert. Triggers: "${verb} the ${thing}", "${asked} ${things}", "${near}".`,
    `Helps teams to ${verb} ${things} when ${occasion}. Covers ${near}, ${tool} and reviews. Not for ${otherThings}.`,
    `${verb} ${things}`,
    `Step by step: open the ${thing}, ${verb} it by way of ${tool}, then report on ${near}. Works on ${file}.`,
  ];
  const messages = [
    `can you ${asked} the ${thing}? ${occasion}`,
    `I need help with ${near}, please ${verb} my ${things} using ${tool}`,
    `${asked} this ${thing} (notes${file}) before Friday and mind the ${near}`,
    `hey, the ${things} are a mess, ${verb} them with ${tool}`,
  ];
  const skill = makeSkill(writeHeader(nameOf(verb, thing, number), pick(descriptions)));
  return { skill, message: pick(messages) };
}

function writeForeign(
  language: Exclude<Language, "en">,
  { topic, deed, number }: Job,
  pick: Pick,
): AskedSkill {
  const [thing, , near, tool] = topic;
  const [verb] = deed;
  const [job, ask, more] = pick(FOREIGN[language]);
  const skill = makeSkill(writeHeader(nameOf(verb, thing, number), `${job} ${tool}. ${more} ${near}.`));
  return { skill, message: `${ask} ${thing}, ${tool}` };
}

function nameOf(verb: string, thing: string, number: number): string {
  return `${verb}-${thing}-${number}`.replace(/[^a-z0-9]+/g, "-");
}

/** Draws depend on the skill's number only, so that one skill's draws never shift another's. */
function pickerOf(seed: number): Pick {
  let state = (seed * 0x9e3779b1 + 0x7f4a7c15) >>> 0;
  return (items) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x297a2d39) >>> 0;
    return items[(state >>> 8) % items.length] as (typeof items)[number];
  };
}

const topics = (text: string): readonly Topic[] =>
  text
    .trim()
    .split("\n")
    .map((line) => line.split("|").map((word) => word.trim()) as unknown as Topic);

const TOPICS = topics(`
  invoice | invoices | tax rates | ledger-cli | .csv
  rental contract | rental contracts | notice periods | pandoc | .docx
  kubernetes cluster | clusters | failing pods | kubectl | .yaml
  playlist | playlists | track order | beets | .m3u
  sourdough recipe | recipes | baking times | paprika | .txt
  podcast episode | podcast episodes | loudness | ffmpeg | .mp3
  firewall rule | firewall rules | open ports | nftables | .conf
  certificate | certificates | expiry dates | openssl | .pem
  garden bed | garden beds | frost dates | calendar | .ics
  timetable | timetables | room bookings | ortools | .xlsx
  subtitle track | subtitles | reading speed | aegisub | .srt
  floor plan | floor plans | wall thickness | freecad | .dxf
  customer survey | surveys | open answers | pandas | .sav
  warehouse stock | stock lists | reorder levels | duckdb | .parquet
  database schema | schemas | foreign keys | flyway | .sql
  changelog | changelogs | breaking changes | git-cliff | .md
  thesis chapter | thesis chapters | citations | latexmk | .tex
  flashcard deck | flashcards | spaced repetition | anki | .apkg
  mortgage offer | mortgage offers | interest rates | gnucash | .ods
  photo album | photo albums | duplicate pictures | exiftool | .heic
  landing page | landing pages | conversion | tailwind | .html
  translation memory | translation memories | terminology | omegat | .tmx
  unit test | unit tests | flaky assertions | pytest | .py
  terraform module | terraform modules | state drift | terraform | .tf
  sensor log | sensor logs | outliers | influxdb | .log
  slide deck | slides | speaker notes | marp | .pptx
  job application | job applications | cover letters | typst | .odt
  seismic trace | seismic traces | arrival times | obspy | .mseed
  knitting pattern | knitting patterns | stitch counts | inkscape | .svg
  patient leaflet | patient leaflets | plain language | readability | .rtf`);

const DEEDS: readonly Deed[] = (
  "convert converts turn into,draft drafts write up,inspect inspects look over,summarise summarises sum up," +
  "migrate migrates move over,annotate annotates add notes to,archive archives put away,compare compares tell apart," +
  "repair repairs fix,schedule schedules plan,publish publishes put out,deduplicate deduplicates clean up," +
  "benchmark benchmarks measure,split splits cut up,validate validates check"
)
  .split(",")
  .map((line) => {
    const [verb = "", verbs = "", ...asked] = line.split(" ");
    return [verb, verbs, asked.join(" ")] as const;
  });

const OCCASIONS = [
  "a deadline is near",
  "somebody new joins the team",
  "the auditors are coming",
  "a customer complains",
  "the old tool was switched off",
  "two versions disagree",
  "the numbers look odd",
  "we move to another office",
  "it has to be printed",
  "nobody knows who owns it",
] as const;

type Language = "en" | "de" | "fr" | "es" | "zh" | "ru";
const LANGUAGES: readonly Language[] = ["en", "en", "en", "en", "en", "en", "de", "fr", "es", "zh", "ru"];

/** The start of a description, a user's request, and the rest of the description. */
const FOREIGN: Readonly<Record<Exclude<Language, "en">, readonly (readonly [string, string, string])[]>> = {
  de: [
    ["Bereitet Unterlagen auf und prüft sie mit", "Kannst du das bitte prüfen:", "Achtet auf"],
    ["Räumt alte Dateien auf mit", "Bitte aufräumen:", "Meldet auch"],
  ],
  fr: [
    ["Prépare et vérifie les documents avec", "Peux-tu vérifier ceci :", "Fait attention à"],
    ["Range les anciens fichiers avec", "Range ceci s'il te plaît :", "Signale aussi"],
  ],
  es: [
    ["Prepara y revisa documentos con", "¿Puedes revisar esto?", "Presta atención a"],
    ["Ordena archivos antiguos con", "Ordena esto por favor:", "También avisa de"],
  ],
  zh: [
    ["整理并检查文件，工具是", "帮我检查一下", "同时注意"],
    ["归档旧资料，使用", "请帮忙归档", "还会报告"],
  ],
  ru: [
    ["Готовит и проверяет документы с помощью", "Проверь, пожалуйста:", "Следит за"],
    ["Разбирает старые файлы с помощью", "Разбери, пожалуйста:", "Сообщает про"],
  ],
};
