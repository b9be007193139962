import type { Act, ActFact, FactBook } from "../fact/fact.ts";
import { hitAt, type Rule, type RuleHit, type SkillProfile } from "../finding/finding.ts";
import { readStatements } from "../prose/statements.ts";
import { wordSet, words } from "../word-list.ts";
import { declares, isDocument } from "./is-teaching.ts";
import { rule } from "./rule-texts.ts";

type Destruction = Extract<Act, { readonly type: "destroy" }>;

export const DE1: Rule = rule("DE1", (book, profile) =>
  book
    .of("act")
    .flatMap((fact) => (fact.act.type === "destroy" ? [judge(fact, fact.act, profile, book)] : [])),
);

function judge(fact: ActFact, act: Destruction, profile: SkillProfile, book: FactBook): RuleHit {
  const message = `${MESSAGES[act.what]}: ${act.detail}`;
  switch (act.what) {
    case "home":
    case "root":
    case "disk":
    case "encrypt":
      return judgeTotal(fact, act, message, profile, book);
    case "backups":
      return hitAt(fact, "warn", message);
    default: {
      const purpose = declares(profile, PURPOSES[act.what]);
      if (purpose !== undefined)
        return hitAt(fact, "info", message, `the skill says that it is about ${purpose}`);
      // One command among others in a document is for a reader to decide on.
      return hitAt(fact, isDocument(fact) && act.what === "files" ? "info" : "warn", message);
    }
  }
}

function judgeTotal(
  fact: ActFact,
  act: Destruction,
  message: string,
  profile: SkillProfile,
  book: FactBook,
): RuleHit {
  // `rm -rf /` in a sentence is the world's best-known warning; nobody hides an attack in it.
  if (MENTIONING.has(fact.medium) && fact.chain.length === 0 && !isOrdered(fact, book))
    return hitAt(fact, act.what === "home" ? "warn" : "info", message, "it is named in a sentence, not run");
  if (profile.isSecurityTool && isDocument(fact) && fact.chain.length === 0)
    return hitAt(fact, "warn", message, "a skill about attacks shows it");
  const isDiskTool = act.what === "disk" && declares(profile, DISK_WORDS) !== undefined;
  if (isDiskTool) return hitAt(fact, "warn", message, "the skill says that it is about disks");
  return hitAt(fact, "critical", message);
}

const MENTIONING: ReadonlySet<string> = wordSet("inline-code table quote heading");

/** Whether the sentence around a command says to run it. */
function isOrdered({ file, line, snippet, medium }: ActFact, book: FactBook): boolean {
  if (medium !== "inline-code") return false;
  return readStatements(book).some(
    ({ clause, frames }) =>
      clause.file === file &&
      line >= clause.line &&
      clause.snippet.includes(snippet) &&
      clause.stance === "live" &&
      frames.has("ordersRun"),
  );
}

const MESSAGES: Readonly<Record<Destruction["what"], string>> = {
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

const DISK_WORDS = words(`
  disk disks partition partitions filesystem iso usb sd raspberry flash flashing firmware storage lvm raid
  zfs
`);

// What somebody who installs such a skill expects it to know.
const PURPOSES: Readonly<Record<"files" | "database" | "repository" | "cloud", readonly string[]>> = {
  files: ["docker", "cleanup", "clean", "volumes", "storage", "containers", "container"],
  database: words(`
    database databases sql postgres postgresql mysql sqlite mongodb redis db migration migrations backend
    schema supabase prisma rails django clickhouse test testing
  `),
  repository: words(`
    git github gitlab branch branches commit commits rebase pull pr prs merge repository release worktree
    version ci
  `),
  cloud: words(`
    cloud aws gcp azure terraform opentofu pulumi kubernetes k8s infrastructure deploy deployment devops s3
    cdk heroku cluster helm iac kubectl serverless gcloud google
  `),
};
