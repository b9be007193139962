import { STOP_WORDS, splitWords, stemWord } from "@skillet/kit/words";
import type { Deed } from "./read-job.ts";

/** What programs and kinds of files are about, in the words that people use who do not name them. */
const SUBJECTS: readonly (readonly [RegExp, string])[] = [
  [/^kubectl|^helm|^k9s/, "Kubernetes, cluster, pods and services"],
  [/^(?:docker|podman) compose/, "containers and services"],
  [/^(?:docker|podman)\b/, "containers and images"],
  [/^(?:terraform|tofu|pulumi)\b/, "infrastructure as code"],
  [/^ansible/, "servers and playbooks"],
  [/^aws\b/, "AWS and the cloud"],
  [/^gcloud\b/, "Google Cloud"],
  [/^az\b/, "Azure and the cloud"],
  [/^(?:gh|glab) (?:pr|mr)\b/, "pull requests"],
  [/^(?:gh|glab) issue\b/, "GitHub issues and bug reports"],
  [/^gh (?:run|workflow)\b/, "CI and workflows"],
  [/^gh release\b|^git (?:tag|describe)\b/, "releases and changelogs"],
  [/^git (?:cherry-pick|rebase|merge)\b/, "commits and branches"],
  [
    /^(?:npm|yarn|pnpm|bun|pip3?|uv|poetry|cargo|composer|bundle) (?:outdated|update|upgrade)\b/,
    "dependencies",
  ],
  [/\bmigrat|^alembic|^flyway|^prisma/, "database schema changes"],
  [/^(?:psql|pg_\w+|mysql|mysqldump|sqlite3|createdb|dropdb|mongosh)\b/, "databases and SQL"],
  [/\b(?:autocannon|wrk|ab|k6|hyperfine)\b|prof/, "performance, benchmarks and load"],
  [/\b(?:pa11y|axe|lighthouse)\b/, "accessibility (a11y) and page audits"],
  [/\b(?:eslint|biome|ruff|clippy|shellcheck|markdownlint|prettier)\b/, "linting and style"],
  [/\b(?:vitest|jest|pytest|mocha|playwright|cypress|rspec)\b/, "tests"],
  [/^(?:ffmpeg|ffprobe)\b|\.(?:mov|mp4|mkv|webm)$/, "video and recordings"],
  [/^(?:sox|whisper)\b|\.(?:mp3|wav|m4a)$/, "audio"],
  [/^(?:convert|magick|identify|pngquant)\b|\.(?:png|jpe?g|webp|svg)$/, "pictures and images"],
  [/^pandoc|^libreoffice|\.docx$/, "Word and other documents (docx)"],
  [/^(?:pdftotext|qpdf|pdftk)\b|\.pdf$/, "PDF"],
  [/\bopenapi|swagger|\.proto$/, "API specifications, Swagger and generated types"],
  [/\bi18n\b|\blocales?\//, "i18n, locales and translated strings"],
  [/\.(?:csv|tsv|xlsx)$/, "tables and spreadsheets"],
  [/matplotlib|\bchart|\bplot/, "charts, plots and graphs"],
  [/\broutes?\/|\bcontrollers?\//, "API routes"],
];

const MAX_SUBJECTS = 4;

/** What a job was about besides the words of its request, by the programs that it ran and the files that it touched. */
export function subjectsOf(deeds: readonly Deed[]): readonly string[] {
  const things = deeds.flatMap((deed) => {
    if (deed.kind === "edit") return deed.files;
    return deed.kind === "command" ? [deed.command.key, ...deed.command.words] : [];
  });
  const times = ([pattern]: (typeof SUBJECTS)[number]): number =>
    things.filter((thing) => pattern.test(thing)).length;
  return SUBJECTS.map((one, place) => ({ words: one[1], count: times(one), place }))
    .filter(({ count }) => count > 0)
    .sort((left, right) => right.count - left.count || left.place - right.place)
    .slice(0, MAX_SUBJECTS)
    .map(({ words }) => words);
}

/** Synonyms; a hyphen is written for a space. */
const VERBS = `
    add create write make introduce; fix repair solve debug sort-out correct mend; upgrade update bump migrate
    newest-version; remove delete clean-up clear prune tidy-up get-rid-of; convert turn-into export transform change-to;
    check audit review inspect verify go-over look-at; restart bounce reload redeploy; generate regenerate produce create;
    deploy release ship publish roll-out cut get-out bring-out; summarise summarize sum-up recap condense digest;
    write draft prepare compose put-together; find search look-for locate track-down; translate localise translation;
    restore recover load import refresh bring-back; compare diff difference contrast; rename reorganise move sort;
    profile benchmark speed-up optimise faster slow performance; shrink reduce compress smaller slim-down too-big;
    install set-up configure provision; triage label sort-through go-through sort; merge combine join bring-together;
    split separate divide break-up; extract pull-out get-out read-out; send post share mail forward; fill fill-in
    complete; schedule plan book arrange organise; backport cherry-pick bring-back; explain describe document; renew
    extend expire expires expiry run-out; monitor watch track keep-an-eye-on; scrape crawl fetch collect download
    gather; format lint style; investigate diagnose find-out debug why; back-up save archive backup; analyse analyze
    evaluate look-into; edit change revise adjust update; reply answer respond response; order buy purchase;
    deduplicate duplicates clean normalise; transcribe transcript caption subtitles; count tally add-up total;
    claim reimburse reimbursement refund money-back; invoice bill charge get-paid; match reconcile balance line-up;
    validate check-against conform; encrypt decrypt sign; print print-out; scan scanned ocr digitise; tag label mark
    categorise classify; port migrate move switch replace; rotate replace renew; block ban deny forbid; roll-back
    revert undo; grade mark assess score; pack package bundle zip; crop cut trim resize; learn practise study revise;
    file submit hand-in upload; reset unlock recover; invite add onboard new; leave offboard remove
`;

/** Words for the same thing. */
const THINGS = `
    chart plot graph diagram visualise; spreadsheet table excel csv sheet figures; document word docx paper;
    test spec testing; picture image photo screenshot; video recording clip movie film; audio sound podcast recording;
    slides presentation deck powerpoint talk; database db sql; bug issue ticket defect problem; dependency package
    library lib; report summary write-up overview; invoice bill receipt; email mail message newsletter inbox; meeting
    appointment calendar minutes; customer client user; website page site web; server host machine box; container
    docker image; error failure crash exception fails broken; flaky intermittent unstable random; backup dump
    snapshot; endpoint route api; contract agreement clause; budget expenses spending costs; expense travel receipts
    reimbursement trip; changelog release-notes announcement what's-new; version release; translation locale i18n
    strings; accessibility a11y screen-reader contrast; lesson class course worksheet pupils; recipe meal cooking
    baking; trip travel itinerary journey; paper article literature study; survey questionnaire responses poll; tax vat
    accounting bookkeeping; vacancy job cv application; post tweet social-media caption; logo icon branding;
    certificate cert tls ssl https; login sign-in authentication; pipeline workflow ci build; log logs logging; alert
    incident outage monitoring alarm; secret key token credential; repository repo project; pull-request pr merge-request
    change; branch line; directory folder; address contact addresses list; member members association club; letter
    envelope mailing post; notes notebook minutes; statement bank account transactions payments; payroll salary wages
    payslip; stock inventory warehouse; price prices cost quote offer; shop store; photo album pictures gallery; music
    song track; map route gps; field survey observation; sensor measurement reading; experiment data results;
    bibliography references citations sources; chapter section manuscript book; family tree ancestors genealogy; garden
    plants; school teacher pupil student; patient doctor medical health; insurance policy claim; rent lease tenant flat;
    car vehicle; printer printing; network wifi router; disk storage space full; cron schedule timer nightly; queue
    worker job; cache stale; cluster kubernetes pods nodes; domain dns record; feature flag toggle; permission access
    role rights; comment feedback review; form field application; template boilerplate scaffold; style theme css
    design; font typeface; subtitle caption; colour color palette; game level score; board committee council; quarter
    month week; deadline due late overdue reminder
`;

const groupsOf = (table: string): readonly (readonly string[])[] =>
  table.split(";").map((group) =>
    group
      .trim()
      .split(/\s+/)
      .map((word) => word.replaceAll("-", " ")),
  );
const VERB_GROUPS = groupsOf(VERBS);
const ALIKE = [...VERB_GROUPS, ...groupsOf(THINGS)];

const TASK_WORDS: ReadonlySet<string> = new Set(
  ALIKE.flatMap((group) => group.flatMap((term) => term.split(" ").map(stemWord))),
);

/** Whether it is a word for something to do, or for what is often done something with. */
export const isTaskWord = (word: string): boolean => TASK_WORDS.has(stemWord(word));

const MAX_OTHER_WORDS = 24;

/** The words of a text that say something, by their stems. */
export function tellingWords(text: string): readonly string[] {
  return splitWords(text)
    .filter((word) => !STOP_WORDS.has(word))
    .map(stemWord);
}

/** Whether a sentence begins with a word for something to do. */
export function isOrder(sentence: string): boolean {
  const [first = ""] = splitWords(sentence);
  return VERB_GROUPS.some((group) => group.some((term) => term.split(" ")[0] === first));
}

/** Other words for what a request says, so that somebody finds the skill who says it differently. */
export function otherWordsFor(request: string, said: string): readonly string[] {
  const [asked, known] = [request, said].map((text) => new Set(splitWords(text).map(stemWord)));
  const has = (words: ReadonlySet<string> | undefined, term: string): boolean =>
    term.split(" ").every((word) => words?.has(stemWord(word)));
  const groups = ALIKE.filter((group) => group.some((term) => has(asked, term)));
  return [...new Set(groups.flat())].filter((term) => !has(known, term)).slice(0, MAX_OTHER_WORDS);
}
