import type { ActOf, FactBook, FactPlace } from "../fact/fact.ts";
import { hitAt, type Rule, type RuleHit, type SkillProfile } from "../finding/finding.ts";
import { readStatements } from "../prose/statements.ts";
import { wordLists, wordSet } from "../word-list.ts";
import { declares, isDocument } from "./is-teaching.ts";
import { rule } from "./rule-texts.ts";

type Destruction = ActOf<"destroy">;

export const DE1: Rule = rule("DE1", (book, profile) =>
  book.acts("destroy").map((fact) => judge(fact, profile, book)),
);

function judge(fact: Destruction, profile: SkillProfile, book: FactBook): RuleHit {
  const { act } = fact;
  const message = `${MESSAGES[act.what]}: ${act.detail}`;
  switch (act.what) {
    case "home":
    case "root":
    case "disk":
    case "encrypt":
      return judgeTotal(fact, message, profile, book);
    case "backups":
      return hitAt(fact, "warn", message);
    default: {
      const purpose = declares(profile, PURPOSES[act.what]);
      if (purpose !== undefined)
        return hitAt(fact, "info", message, `the skill says that it is about ${purpose}`);
      // In a document, one command among others is for the reader to decide on.
      return hitAt(fact, isDocument(fact) && act.what === "files" ? "info" : "warn", message);
    }
  }
}

function judgeTotal(fact: Destruction, message: string, profile: SkillProfile, book: FactBook): RuleHit {
  const { act } = fact;
  // `rm -rf /` in a sentence is the world's best-known warning; nobody hides an attack there.
  if (isNamed(fact, book)) return hitAt(fact, act.what === "home" ? "warn" : "info", message, NAMED);
  if (profile.isSecurityTool && isDocument(fact) && fact.chain.length === 0)
    return hitAt(fact, "warn", message, "a skill about attacks shows it");
  const isDiskTool = act.what === "disk" && declares(profile, PURPOSES.disk) !== undefined;
  if (isDiskTool) return hitAt(fact, "warn", message, "the skill says that it is about disks");
  return hitAt(fact, "critical", message);
}

const MENTIONING: ReadonlySet<string> = wordSet("inline-code table quote heading");

/** Whether a sentence, a table or a heading mentions a command without telling the reader to run it. */
function isNamed({ file, line, medium, snippet, chain }: FactPlace, book: FactBook): boolean {
  if (!MENTIONING.has(medium) || chain.length > 0) return false;
  return !readStatements(book).some(
    ({ clause, frames }) =>
      clause.file === file &&
      line >= clause.line &&
      clause.snippet.includes(snippet) &&
      clause.stance === "live" &&
      frames.has("ordersRun"),
  );
}

const NAMED = "it is named in a sentence, not run";

const MESSAGES: Readonly<Record<Destruction["act"]["what"], string>> = {
  home: "A whole home folder is removed",
  root: "The file system is removed from its root",
  disk: "A disk is overwritten",
  files: "Files are removed for good",
  database: "A database is dropped",
  repository: "The history of a repository is overwritten",
  backups: "Backups are removed",
  cloud: "Cloud resources are removed",
  encrypt: "Files are encrypted and the originals removed",
};

// What users who install such a skill expect it to do.
const PURPOSES = wordLists<"disk" | "files" | "database" | "repository" | "cloud">(`
  disk disk disks partition partitions filesystem iso usb sd raspberry flash flashing firmware storage lvm raid zfs
  files docker cleanup clean volumes storage containers container
  database database databases sql postgres postgresql mysql sqlite mongodb redis db migration migrations backend schema
      supabase prisma rails django clickhouse test testing
  repository git github gitlab branch branches commit commits rebase pull pr prs merge repository release worktree version ci
  cloud cloud aws gcp azure terraform opentofu pulumi kubernetes k8s infrastructure deploy deployment devops s3 cdk heroku
      cluster helm iac kubectl serverless gcloud google
`);

export const RA1: Rule = rule("RA1", (book, profile) => {
  const commanded = new Set(
    book
      .flowsInto("execute")
      .filter(({ sources }) => sources.some(({ type }) => type === "network"))
      .map(({ file, line }) => `${file}\0${line}`),
  );
  return book.acts("abuse").map((fact): RuleHit => {
    const { act } = fact;
    const [severity, what] = ABUSES[act.what];
    const message = `${what}: ${act.detail}`;
    if (act.what === "beacon-loop" && isCommanded(fact, commanded))
      return hitAt(fact, "critical", `${message}, and what comes back is run`);
    if (isNamed(fact, book)) return hitAt(fact, "info", message, NAMED);
    if (profile.isSecurityTool && isDocument(fact) && act.what !== "beacon-loop")
      return hitAt(fact, "info", message, "a skill about attacks shows it");
    return hitAt(fact, severity, message);
  });
});

// A loop's body is within a few lines of its head.
function isCommanded({ file, line }: FactPlace, lines: ReadonlySet<string>): boolean {
  for (let offset = 0; offset < 12; offset++) if (lines.has(`${file}\0${line + offset}`)) return true;
  return false;
}

const ABUSES: Readonly<Record<ActOf<"abuse">["act"]["what"], readonly [RuleHit["severity"], string]>> = {
  miner: ["critical", "A cryptocurrency is mined"],
  "fork-bomb": ["critical", "Processes are started without end"],
  "beacon-loop": ["warn", "A host is called in an endless loop"],
  flood: ["warn", "Another machine is flooded"],
};
