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
