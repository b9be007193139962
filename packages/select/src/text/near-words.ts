import { stemWord } from "@skillet/kit/words";

// Synonyms, collected by hand: only words that seldom mean anything else. Everyday verbs mean too much.
const GROUPS =
  "image picture photo photograph screenshot jpg jpeg png webp, video clip mp4 footage, audio mp3 recording, compress " +
  "shrink optimise optimize resize downsize, slow sluggish latency, speed faster accelerate performance, crash outage " +
  "downtime incident, bug defect regression, deploy rollout release ship, rollback revert undo, git commit, " +
  "announce announcement newsletter, customer client, invoice bill billing, expense receipt reimbursement, salary " +
  "payroll wage, contract agreement, meeting appointment, calendar schedule, colleague coworker, onboarding newcomer joiner, password " +
  "credential secret, certificate tls ssl, encrypt decrypt, container docker, cluster kubernetes k8s, pipeline ci " +
  "workflow, database postgres sql, spreadsheet excel xlsx csv, presentation slides deck powerpoint pptx, document docx, " +
  "site website webpage homepage, subtitle caption transcript transcribe, translate translation localise localize, summarise summarize summary digest, " +
  "article blog essay, recipe dish cook, garden plant sow vegetable, fitness workout exercise, trip travel journey, " +
  "flight airline, hotel accommodation, licence license copyleft gpl, accessibility a11y, dependency package library, " +
  "vulnerability exploit cve, chart graph plot diagram, todo reminder, folder directory, merge rebase, spelling grammar " +
  "proofread, cv resume, quotation estimate, tweet twitter";

let near: ReadonlyMap<string, ReadonlySet<string>> | undefined;

/** The terms that mean about the same as a term, without the term itself. */
export function nearTerms(term: string): ReadonlySet<string> {
  near ??= readGroups();
  return near.get(term) ?? NONE;
}

const NONE: ReadonlySet<string> = new Set();

function readGroups(): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const words of GROUPS.split(", ")) {
    const group = words.split(" ").map(stemWord);
    for (const term of group)
      found.set(term, new Set([...(found.get(term) ?? []), ...group.filter((other) => other !== term)]));
  }
  return found;
}
