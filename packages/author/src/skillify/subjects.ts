import { STOP_WORDS, splitWords, stemWord } from "@skillet/kit/words";
import { inEnglish } from "./foreign-words.ts";
import type { Deed } from "./read-job.ts";

/** What programs and kinds of files are about, in the words that people use who do not name them: a pattern and the words a line. */
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
^(?:sed|perl|sd|codemod|jscodeshift)\b: search and replace in many files, rename
^fdupes|dedup|duplicat: duplicates
\.gpx$|gpx: GPS track, route, map and distance
logrotate|\.log\b|\blogs?$: log files, what happened
^lp(?:admin|stat|r)?$|^cancel\b: printer, print queue
^(?:apt|apt-get|dnf|brew)\b: install programs, update the system
^(?:docker|podman)\b: containers and images
^aws\b: AWS and the cloud
^gcloud\b: Google Cloud
^az\b: Azure and the cloud
^git (?:checkout|switch|branch)\b: branches, feature branch
^(?:npm|pnpm|yarn|pip3?|bundle|composer) (?:install|ci)\b: set up, dependencies
^(?:ssh|scp|rsync|sftp)\b: server, host, transfer files
^(?:systemctl|journalctl|service)\b: service, daemon, server logs
^(?:curl|http|wget)\b: API, request, download
^(?:jq|yq)\b: JSON, configuration
^git (?:log|shortlog): history, what changed
`);

/** A pattern and what is said of it in each line. */
export function readTable(text: string): readonly (readonly [RegExp, string])[] {
  return text
    .trim()
    .split("\n")
    .map((line) => {
      const at = line.lastIndexOf(": ");
      return [new RegExp(line.slice(0, at)), line.slice(at + 2)] as const;
    });
}

/** Whether the table of subjects has a word as the whole name of a program. */
export const isInSubjects = (word: string): boolean =>
  SUBJECTS.some(([pattern]) => pattern.exec(word)?.[0] === word);

const MAX_SUBJECTS = 6;

/** What a job was about besides the words of its request, by the programs that it ran and the files that it touched. */
export function subjectsOf(deeds: readonly Deed[]): readonly string[] {
  const found = new Set(
    deeds.map((deed) => {
      if (deed.kind === "edit") return subjectOf(deed.files);
      if (deed.kind === "other") return subjectOf([deed.tool]);
      // What a program is for says more than what its operands are called.
      const { key, words } = deed.command;
      return subjectOf([key]) ?? subjectOf(words);
    }),
  );
  // In the order of the table, which has what says most first.
  return SUBJECTS.flatMap(([, words]) => (found.has(words) ? [words] : [])).slice(0, MAX_SUBJECTS);
}

const subjectOf = (things: readonly string[]): string | undefined =>
  SUBJECTS.find(([pattern]) => things.some((thing) => pattern.test(thing)))?.[1];

/** Synonyms; a hyphen is written for a space. */
const VERBS = `
add create write make introduce; build compile assemble; fix repair solve debug sort-out correct mend; upgrade update bump migrate newest-version; remove delete clean-up clear prune tidy-up get-rid-of; convert turn-into export transform change-to; check audit review inspect verify go-over look-at; restart bounce reload redeploy;
generate regenerate produce create; deploy release ship publish roll-out cut get-out bring-out; summarise summarize sum-up recap condense digest; write draft prepare compose put-together; find search look-for locate track-down; translate localise translation; restore recover load import refresh bring-back;
compare diff difference contrast; rename reorganise move sort; profile benchmark speed-up optimise faster slow performance; shrink reduce compress smaller slim-down too-big; install set-up configure provision; triage label sort-through go-through sort; merge combine join bring-together; split separate divide break-up;
extract pull-out get-out read-out; send post share mail forward; fill fill-in complete; schedule plan book arrange organise; backport cherry-pick bring-back; explain describe document; renew extend expire expires expiry run-out; monitor watch track keep-an-eye-on; scrape crawl fetch collect download gather; format lint style;
investigate diagnose find-out debug why; back-up save archive backup; analyse analyze evaluate look-into; edit change revise adjust update; reply answer respond response; order buy purchase; deduplicate duplicates clean normalise; transcribe transcript caption subtitles; count tally add-up total;
claim reimburse reimbursement refund money-back; invoice bill charge get-paid; match reconcile balance line-up; validate check-against conform; encrypt decrypt sign; print print-out; scan scanned ocr digitise; tag label mark categorise classify; port migrate move switch replace; rotate replace renew; block ban deny forbid;
roll-back revert undo; grade mark assess score; pack package bundle zip; crop cut trim resize; learn practise study revise; file submit hand-in; upload publish deploy push sync put-online; purge wipe drop delete; grant give-access onboard allow; crash fail break blow-up hang; expose add extend; adopt import take-over;
remind chase follow-up dunning; start run launch bring-up get-running; aggregate sum total group-by; mask anonymise redact hide; reset unlock recover; invite add onboard new; leave offboard remove
`;

/** Words for the same thing. */
const THINGS = `
chart plot graph diagram visualise; spreadsheet table excel csv sheet figures; document word docx paper; test spec testing; picture image photo screenshot; video recording clip movie film; audio sound podcast recording; slides presentation deck powerpoint talk; database db sql; bug issue ticket defect problem;
dependency package library lib; report summary write-up overview; invoice bill receipt; email mail message newsletter inbox; meeting appointment calendar minutes; customer client user; website page site web; server host machine box; container docker image; error failure crash exception fails broken;
flaky intermittent unstable random; backup dump snapshot; endpoint route api; contract agreement clause; budget expenses spending costs; expense travel receipts reimbursement trip; changelog release-notes announcement what's-new; version release; translation locale i18n strings; accessibility a11y screen-reader contrast;
lesson class course worksheet pupils; recipe meal cooking baking; trip travel itinerary journey; paper article literature study; survey questionnaire responses poll; tax vat accounting bookkeeping; vacancy job cv application; post tweet social-media caption; logo icon branding; certificate cert tls ssl https;
login sign-in authentication; pipeline workflow ci build; log logs logging; alert incident outage monitoring alarm; secret key token credential; repository repo project; pull-request pr merge-request change; branch line; directory folder; address contact addresses list; member members association club;
letter envelope mailing post; notes notebook minutes; statement bank account transactions payments; payroll salary wages payslip; stock inventory warehouse; price prices cost quote offer; shop store; photo album pictures gallery; music song track; map route gps; field survey observation; sensor measurement reading;
experiment data results; bibliography references citations sources; chapter section manuscript book; family tree ancestors genealogy; garden plants; school teacher pupil student; patient doctor medical health; insurance policy claim; rent lease tenant flat; car vehicle; printer printing; network wifi router;
disk storage space full; cron schedule timer nightly; queue worker job; cache stale; cluster kubernetes pods nodes; domain dns record; feature flag toggle; permission access role rights; comment feedback review; form field application; template boilerplate scaffold; style theme css design; font typeface; subtitle caption;
colour color palette; game level score; board committee council; quarter month week; deadline due late overdue reminder unpaid outstanding; vulnerability security cve advisory vulnerable; traffic requests load visitors abuse; bucket storage cloud; encoding unicode umlaut special-characters non-ascii; seat seating place;
applicant candidate resume cv; donation donor charity; beta testers; brand rebrand product-name company-name; transcript recording minutes action-items; property field attribute column; environment setup local machine laptop; colour theme css design; phone number contact vcard; holiday vacation leave; duplicate double twice;
language translation locale localise native; reference citation literature paper search-results; webhook callback event delivery endpoint; mandatory required not-null constraint; column field attribute property; wedding shoot gallery photos client; timezone clock hours daylight; beta build testers external; manual handbook instructions guide; screening review inclusion exclusion; import adopt hand-made by-hand drift; downtime lock traffic zero-downtime; ticket case support complaint; launch go-live market country; price-list catalogue catalog products; subscription plan renewal churn; newsletter campaign mailing subscribers; warehouse shipment parcel label delivery; return refund exchange complaint; machine sensor firmware device update; protocol sample assay lab; genome reads variants sequencing; simulation model parameters run; map layer parcels gis; building plan drawing permit; shift roster rota schedule staff; onboarding newcomer joiner starter; offboarding leaver departure; audit evidence controls compliance; consent privacy gdpr personal-data; grant proposal funding application; syllabus curriculum course term; marks grades report-card; quiz exam questions test; choir orchestra concert programme; club membership fees dues; event tickets attendees guests; venue booking room hall; menu recipe ingredients allergens; playlist episode podcast audio; chapter draft edit proofread; subtitle caption transcript dub; banner ad creative campaign; seo keywords ranking search-console; redirect url link broken-links; form submission entries leads; chatbot prompt model answers; embedding index retrieval search; feature dataset training model; notebook analysis experiment figures; warehouse etl pipeline tables; dashboard metric kpi numbers; forecast plan budget quarter; cash-flow liquidity payments; ledger journal booking entries; dunning reminder overdue unpaid; delivery-note order purchase; contract renewal notice-period; lease rent utilities settlement; inspection maintenance checklist; incident postmortem timeline root-cause; on-call pager alert escalation; rollback revert undo restore; canary staged rollout release; toggle flag experiment; login session token expired; quota limit rate throttle; memory leak heap oom; timeout slow hang latency; disk full space cleanup; firewall port blocked network; vpn tunnel remote access; dns domain nameserver record; mailbox spam inbox rules; printer driver label paper; laptop workstation setup new-machine; kiosk tablet device fleet; keyboard screen-reader contrast accessibility; icon sprite svg asset; theme dark-mode colours tokens; component story design-system; migration upgrade breaking-changes; monorepo workspace package; fixture mock stub seed; coverage mutation tests; type types typing annotations; docs reference api-docs readme; changelog release-notes news; licence license notice third-party; advisory cve patch; signing notarize certificate installer; crash symbolicate stack-trace; screenshot store listing app-store; localised strings placeholders plural; currency exchange-rate conversion; address geocode map; duplicate dedupe repeated twice; merge combine consolidate unify; anonymise pseudonymise mask redact black-out; graph schema type; scan letter handwriting; disk volume drive nas
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

const MAX_OTHER_WORDS = 32;

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
  const english = inEnglish(request);
  const [asked, known] = [[request, ...english].join(" "), said].map(
    (text) => new Set(splitWords(text).map(stemWord)),
  );
  const has = (words: ReadonlySet<string> | undefined, term: string): boolean =>
    term.split(" ").every((word) => words?.has(stemWord(word)));
  // What the request has two words of is nearer to it.
  const shares = (group: readonly string[]): number => group.filter((term) => has(asked, term)).length;
  const groups = ALIKE.filter((group) => shares(group) > 0).sort((one, two) => shares(two) - shares(one));
  const alike = [...english, ...groups.flat()].filter((term) => !has(known, term));
  return [...new Set(alike)].slice(0, MAX_OTHER_WORDS);
}
