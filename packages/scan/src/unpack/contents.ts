import type { Anomaly, AnomalyFact } from "../fact/fact.ts";
import type { SkillFile } from "../file/skill-file.ts";

/** What is inside one file, put together by whoever opens it. */
export class Contents {
  readonly file: SkillFile;
  /** Members, as `archive.zip!/member`; each is identified and read like any other file. */
  readonly files: SkillFile[] = [];
  readonly facts: AnomalyFact[] = [];
  readonly #unread = new Set<string>();

  constructor(file: SkillFile) {
    this.file = file;
  }

  /** Takes a member; words that are none are left out. */
  add(name: string, content: Uint8Array | string, mode: SkillFile["mode"] = "644"): void {
    if (content === "") return;
    const bytes = typeof content === "string" ? Buffer.from(content) : content;
    this.files.push({ path: `${this.file.path}!/${name}`, mode, bytes });
  }

  note(what: Anomaly, detail: string): void {
    const place = { file: this.file.path, line: 1, snippet: detail.slice(0, 200), chain: [], section: [] };
    this.facts.push({
      ...place,
      kind: "anomaly",
      what,
      detail,
      medium: "data",
      stance: "live",
      isFixture: false,
    });
  }

  /** Says that something was not read, and why. */
  leave(reason: string): void {
    this.#unread.add(reason);
  }

  get unread(): string | undefined {
    return this.#unread.size === 0 ? undefined : [...this.#unread].sort().join("; ");
  }
}
