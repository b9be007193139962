import { STOP_WORDS, splitWords, stemWord } from "@skillet/kit/words";
import { inEnglish, isForeign } from "./foreign-words.ts";
import type { Deed } from "./read-job.ts";

/** Subjects of programs and file types, in the words of users who do not name them: a pattern and words per line. */
const SUBJECTS = readTable(String.raw`
^kubectl (?:apply|set)|^helm (?:install|upgrade): deploy to Kubernetes, roll out to the cluster
^kubectl (?:rollout|scale|delete pod): restart, bounce or scale pods and services in the cluster
^kubectl (?:logs|describe|get|top)|^k9s|^stern: Kubernetes pods that crash or hang, cluster logs
secrets?$: rotate or replace credentials, keys and passwords
^(?:docker|podman) (?:build|push|tag|buildx): build a container image and upload it to the registry
^(?:docker|podman)(?:-| )compose: start containers and services, local environment
^(?:terraform|tofu|pulumi) (?:import|state): adopt existing cloud resources into infrastructure as code
^(?:terraform|tofu|pulumi)\b: infrastructure as code, provision cloud resources
^ansible: servers, configuration, access and playbooks
^aws s3|^gsutil|^rclone: upload to a bucket, cloud storage, static website, backup
cloudfront|invalidat: CDN, clear the cache
^(?:fly|vercel|netlify|heroku|wrangler|firebase)\b: deploy the app, hosting, go live
^(?:gh|glab) (?:pr|mr) (?:create|ready): open a pull request, merge request, put up a change
^(?:gh|glab) (?:pr|mr)\b: pull requests, code review of a colleague's change
^(?:gh|glab) issue\b: GitHub issues, tickets and bug reports
^gh (?:run|workflow)|^glab ci|^act\b|^gitlab-runner|workflows/: CI pipeline, red or failing build, GitHub Actions
^gh release\b|^git (?:tag|describe)\b: releases, versions and changelogs
^git cherry-pick: backport a fix to an older branch
^git (?:rebase|merge)\b: commits and branches, merge conflicts
^git (?:bisect|blame|revert): which change broke it, undo a commit
^(?:npm|pnpm|yarn) audit|^trivy|^snyk|^pip-audit|^cargo audit: vulnerabilities, security advisories, vulnerable package
^(?:npm|yarn|pnpm|bun|pip3?|uv|poetry|cargo|composer|bundle) (?:outdated|update|upgrade)\b: dependencies, newer versions
^(?:npm|pnpm|yarn|cargo|twine|gem|poetry) (?:publish|version|pack)\b: publish a package or library, release a version
\bmigrat|^alembic|^flyway|^prisma|^knex: database schema changes, tables and columns
^(?:pg_dump|mysqldump|mongodump|pg_restore): copy, dump, back up or restore a database
^(?:psql|pg_\w+|mysql|sqlite3|createdb|dropdb|mongosh|duckdb)\b: database, SQL, query, rows and records
\b(?:autocannon|wrk|ab|k6|hyperfine)\b|prof\b|^perf\b: performance, slow, benchmarks and load
\b(?:pa11y|axe|lighthouse)\b: accessibility (a11y) and page audits
\b(?:eslint|biome|ruff|clippy|shellcheck|markdownlint|prettier|black)\b|\blint\b: linting, formatting and code style
\b(?:playwright|cypress|selenium|puppeteer)\b|e2e: browser tests, end-to-end
\b(?:vitest|jest|pytest|mocha|rspec|phpunit)\b|\btests?\b: tests, failing test, bug fix
^ffmpeg|\.(?:mov|mp4|mkv|webm)$: video, recording, clip, cut, compress and convert
^whisper|\.(?:srt|vtt)$: transcribe speech, captions and subtitles
^sox|\.(?:mp3|wav|m4a)$: audio, sound and podcast
^(?:convert|magick|mogrify|identify|pngquant|exiftool|sips)\b|\.(?:png|jpe?g|webp|svg|heic)$: pictures, photos and images
^pandoc|^libreoffice|\.docx$: Word and other documents (docx), convert to PDF
^(?:latexmk|pdflatex|xelatex|tectonic|biber)\b|\.tex$: LaTeX, typeset a paper, manuscript or thesis, bibliography
^(?:ocrmypdf|tesseract): text recognition, OCR of scanned documents, make them searchable
^(?:pdftotext|qpdf|pdftk|pdfunite)\b|\.pdf$: PDF, merge, split or read
\bopenapi|swagger|\.proto$: API specification, Swagger and generated types
graphql: GraphQL API, schema, types, fields and resolvers
\bi18n\b|\blocales?/: i18n, locales and translated strings
\.(?:csv|tsv|xlsx)$|^(?:csv\w+|qsv|xsv|mlr|xlsx2csv)$: table, spreadsheet, Excel, list and columns
matplotlib|\bchart|\bplot|seaborn: charts, plots and graphs
^(?:Rscript|quarto|jupyter)\b|\.(?:R|ipynb|qmd)$: statistics, data analysis and figures
\broutes?/|\bcontrollers?/|\bresolvers?/: API routes and endpoints
^(?:ssh-keygen|ssh-copy-id|ssh-add)$: SSH keys, access and login to servers
^cargo (?:build|zigbuild|cross)|^rustup target|^cross\b|^goreleaser: compile a release binary, cross-compile for another machine
^(?:hledger|ledger|beancount|bean-\w+)\b: bookkeeping, accounts, tax and VAT return, bank statements
^(?:mosquitto_\w+|telegraf)$: MQTT broker, sensors, devices, metrics and dashboards
calendar|freebusy|rooms?_|meeting: meeting, appointment, calendar, room
receipt|expense|fx_rate: expenses, receipts, travel costs, currency, reimbursement
crm|deals?\b|leads?\b: customers, sales, offers, leads, follow up
create_user|directory|onboard: new employee, accounts, access and permissions
^certbot|^openssl|^acme: TLS certificate, HTTPS, expires, renew
nginx|access\.log|^goaccess: web server, traffic, access logs, requests and abuse
^promtool|^amtool|prometheus|alert: monitoring, alerts and alarms
^(?:restic|borg|duplicity|tar)\b: backup, archive, save files
^(?:crontab|at)\b|\.timer$: schedule, nightly, every day
^(?:xcodebuild|xcrun|fastlane|agvtool)\b|\beas\b|\bipa\b: iOS or iPhone app, build, sign, TestFlight, App Store
^(?:gradle|\./gradlew|adb)\b: Android or Java build
^(?:msmtp|mail|sendmail|mutt)\b|mail: e-mail, send a message
slack|webhook: chat channel, notification, webhook
figma|style-dictionary|tokens\.css: design tokens, theme, colours and CSS variables
^fdupes|dedup|duplicat: duplicates
\.gpx$|gpx: GPS track, route, map and distance
^lp(?:admin|stat|r)?$|^cancel\b: printer, print queue
`);

/** A pattern and its words per line. */
export function readTable(text: string): readonly (readonly [RegExp, string])[] {
  return text
    .trim()
    .split("\n")
    .map((line) => {
      const at = line.lastIndexOf(": ");
      return [new RegExp(line.slice(0, at)), line.slice(at + 2)] as const;
    });
}

/** Whether the table of subjects knows a word as the whole name of a program. */
export const isInSubjects = (word: string): boolean =>
  SUBJECTS.some(([pattern]) => pattern.exec(word)?.[0] === word);

const MAX_SUBJECTS = 6;

/** What a job was about beyond its request, judged by the programs that it ran and the files that it touched. */
export function subjectsOf(deeds: readonly Deed[]): readonly string[] {
  const found = new Set(
    deeds.map((deed) => {
      if (deed.kind === "edit") return subjectOf(deed.files);
      if (deed.kind === "other") return subjectOf([deed.tool]);
      // The purpose of a program says more than the names of its operands.
      const { key, words } = deed.command;
      return subjectOf([key]) ?? subjectOf(words);
    }),
  );
  // In the order of the table, which lists the most telling subjects first.
  return SUBJECTS.flatMap(([, words]) => (found.has(words) ? [words] : [])).slice(0, MAX_SUBJECTS);
}

const subjectOf = (things: readonly string[]): string | undefined =>
  SUBJECTS.find(([pattern]) => things.some((thing) => pattern.test(thing)))?.[1];

/** Synonyms; a hyphen stands for a space. */
const VERBS = `
add create write introduce; build compile assemble; fix repair solve debug sort-out correct mend; upgrade update bump migrate newest-version; remove delete clean-up clear prune tidy-up get-rid-of; convert turn-into export transform change-to; check audit review inspect verify go-over look-at; restart bounce reload redeploy;
generate regenerate produce create; deploy release ship publish roll-out cut get-out bring-out; summarise summarize sum-up recap condense digest; write draft prepare compose put-together; find search look-for locate track-down; translate localise translation; restore recover load import refresh bring-back;
compare diff difference contrast; rename reorganise move sort; profile benchmark speed-up optimise faster slow performance; shrink reduce compress smaller slim-down too-big; install set-up configure provision; triage label sort-through go-through sort; merge combine join bring-together; split separate divide break-up;
extract pull-out get-out read-out; send post share mail forward; fill fill-in complete; schedule plan book arrange organise; backport cherry-pick bring-back; explain describe document; renew extend expire expires expiry run-out; monitor watch track keep-an-eye-on; scrape crawl fetch collect download gather; format lint style;
investigate diagnose find-out debug why; back-up save archive backup; analyse analyze evaluate look-into; edit change revise adjust update; reply answer respond response; order buy purchase; deduplicate duplicates normalise; transcribe transcript caption subtitles; count tally add-up total;
claim reimburse reimbursement refund money-back; invoice bill charge get-paid; match reconcile balance line-up; validate check-against conform; encrypt decrypt sign; print print-out; scan scanned ocr digitise; tag label mark categorise classify; port migrate move switch replace; rotate replace renew; block ban deny forbid;
roll-back revert undo; grade mark assess score; pack package bundle zip; crop cut trim resize; learn practise study revise; file submit hand-in; upload publish deploy push sync put-online; purge wipe drop delete; grant give-access onboard allow; crash fail break blow-up hang; expose extend; adopt import take-over;
remind chase follow-up dunning; start run launch bring-up get-running; aggregate sum total group-by; mask anonymise redact hide; reset unlock recover; invite onboard; leave offboard remove
`;

/** Nouns for the same subject. */
const THINGS = `
chart plot graph diagram visualise; spreadsheet table excel csv sheet figures; document word docx paper; test spec testing; picture image photo screenshot; video recording clip movie film; audio sound podcast recording; slides presentation deck powerpoint talk; database db sql; bug issue ticket defect problem;
dependency package library lib; report summary write-up overview; invoice bill receipt; email mail message newsletter inbox; meeting appointment calendar minutes; customer user; website page site web; server host machine box; container docker image; error failure crash exception fails broken;
flaky intermittent unstable random; backup dump snapshot; endpoint route api; contract agreement clause; budget expenses spending costs; expense travel receipts reimbursement trip; changelog release-notes announcement what's-new; version release; translation locale i18n strings; accessibility a11y screen-reader contrast;
lesson class course worksheet pupils; recipe meal cooking baking; trip travel itinerary journey; paper article literature study; survey questionnaire responses poll; tax vat accounting bookkeeping; vacancy job cv application; post tweet social-media caption; logo icon branding; certificate cert tls ssl https;
login sign-in authentication; pipeline workflow ci build; log logs logging; alert incident outage monitoring alarm; secret key token credential; repository repo project; pull-request pr merge-request change; directory folder; address contact addresses list; member members association club;
letter envelope mailing post; statement bank transactions; payroll salary wages payslip; stock inventory warehouse; price prices cost quote offer; shop store; music song track; map route gps; field survey observation; sensor measurement reading;
experiment data results; bibliography references citations sources; chapter section manuscript book; family tree ancestors genealogy; garden plants; school teacher pupil student; patient doctor medical health; insurance policy claim; rent lease tenant flat; car vehicle; printer printing; network wifi router;
disk storage space full; cron schedule timer nightly; queue worker job; cache stale; cluster kubernetes pods nodes; domain dns record;  permission access role rights; comment feedback review; form field application; template boilerplate scaffold; style theme css design; font typeface; subtitle caption;
colour color palette; game level score; board committee council; quarter month week; deadline due late overdue reminder unpaid outstanding; vulnerability security cve advisory vulnerable; traffic requests load visitors abuse; bucket storage cloud; encoding unicode umlaut special-characters non-ascii; seat seating place;
applicant candidate resume cv; donation donor charity; beta testers; brand rebrand product-name company-name; transcript recording minutes action-items; property field attribute column; environment setup local machine laptop; colour theme css design; phone number contact vcard; holiday vacation leave; duplicate double twice;
`;

const groupsOf = (table: string): readonly (readonly string[])[] =>
  table.split(";").map((group) =>
    group
      .trim()
      .split(/\s+/)
      .map((word) => word.replaceAll("-", " ")),
  );
const VERB_GROUPS = groupsOf(VERBS);
const THING_GROUPS = groupsOf(THINGS);

const TASK_WORDS: ReadonlySet<string> = new Set(
  [...VERB_GROUPS, ...THING_GROUPS].flatMap((group) =>
    group.flatMap((term) => term.split(" ").map(stemWord)),
  ),
);

/** Whether a word is one for an action or for a frequent object of one. */
export const isTaskWord = (word: string): boolean => TASK_WORDS.has(stemWord(word));

/** The significant words of a text, as stems. */
export function tellingWords(text: string): readonly string[] {
  return splitWords(text)
    .filter((word) => !STOP_WORDS.has(word))
    .map(stemWord);
}

/** Whether a sentence begins with a word for an action. */
export function isOrder(sentence: string): boolean {
  const [first = ""] = splitWords(sentence);
  return VERB_GROUPS.some((group) => group.some((term) => term.split(" ")[0] === first));
}

const MAX_OTHER_WORDS = 6;
/** The words after these say what the object is for, or where it comes from. */
const ASIDE =
  /[,;:.(]|\b(?:about|after|and|are|as|at|before|but|by|for|from|in|into|is|like|of|on|or|so|that|then|to|using|via|when|where|which|with)\b/i;

/** Other words for the action and the object of a task, if they have one sense or the task shows which. */
export function otherWordsFor(task: string, said: string): readonly string[] {
  const [known, object] = [said, task.split(ASIDE, 1)[0] ?? ""].map(
    (text) => new Set(splitWords(text).map(stemWord)),
  );
  const has = (words: ReadonlySet<string> | undefined, term: string): boolean =>
    term.split(" ").every((word) => words?.has(stemWord(word)));
  const [verb = ""] = splitWords(task);
  const others = (
    groups: readonly (readonly string[])[],
    isMeant: (term: string) => boolean,
  ): readonly string[] => {
    const meant = groups.filter((group) => group.some(isMeant));
    const clear =
      meant.length > 1 ? meant.filter((group) => group.filter((term) => has(known, term)).length > 1) : meant;
    return clear
      .flat()
      .filter((term) => !has(known, term))
      .slice(0, MAX_OTHER_WORDS / 2);
  };
  const english = isForeign(task) === true ? inEnglish(task).filter((term) => !has(known, term)) : [];
  const verbs = others(VERB_GROUPS, (term) => term === verb);
  return [...new Set([...verbs, ...others(THING_GROUPS, (term) => has(object, term)), ...english])].slice(
    0,
    MAX_OTHER_WORDS,
  );
}
