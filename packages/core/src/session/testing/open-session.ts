import { join } from "node:path";
import { temporaryDirectory } from "../../../../kit/src/testing/temporary-directory.ts";
import { openSkills } from "../../open-skills.ts";
import { writeTree } from "../../testing/write-tree.ts";
import type { Skills } from "../../workspace/skills.ts";
import { readJournal } from "../records/journal.ts";
import type { SessionRecord } from "../records/session-record.ts";
import type { Session, SessionOptions } from "../session.ts";

/** A session over one folder of skills, with its records at hand. */
export interface TestSession extends Session {
  readonly skills: Skills;
  readonly runFolder: string;
  /** The records since the session was opened. */
  recorded(): Promise<readonly SessionRecord[]>;
}

export async function openSession(
  root: string,
  options: SessionOptions = {},
  skills?: Skills,
): Promise<TestSession> {
  const opened = skills ?? (await openFolder(root));
  const runFolder = (options.records ?? join(temporaryDirectory(), "run")) as string;
  const session = await opened.session({ records: runFolder, runId: "run-1", ...options });
  return Object.assign(session, {
    skills: opened,
    runFolder,
    recorded: async () => {
      const { entries } = await readJournal(runFolder);
      return entries
        .map(({ record }) => record as SessionRecord)
        .filter((record) => record.kind !== "policy");
    },
  });
}

/** Opens the skills of one folder, with a home of its own; `config` is the user's configuration. */
export function openFolder(root: string, config: string = ""): Promise<Skills> {
  const home = temporaryDirectory();
  writeTree(join(home, ".skillet"), { "config.yaml": config });
  return openSkills({
    workspace: join(root, ".."),
    roots: [root],
    home: join(home, ".skillet"),
    userHome: home,
    environment: { PATH: "/usr/bin:/bin" },
    organisationDirectory: join(home, "organisation"),
    bundledDirectory: false,
    cacheDirectory: false,
  });
}
