import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DEFAULT_HUB_LIMITS, type HubLimits } from "../../../hub-limits.ts";
import type { FetchContext } from "../../fetch-context.ts";

/** Why git cannot be used here; undefined if it can. */
export function gitMissing(): string | undefined {
  return spawnSync("git", ["--version"]).status === 0 ? undefined : "git is not installed";
}

const ENVIRONMENT = {
  PATH: process.env.PATH ?? "",
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "A",
  GIT_AUTHOR_EMAIL: "a@example.org",
  GIT_AUTHOR_DATE: "2026-01-01T00:00:00Z",
  GIT_COMMITTER_NAME: "A",
  GIT_COMMITTER_EMAIL: "a@example.org",
  GIT_COMMITTER_DATE: "2026-01-01T00:00:00Z",
};

/** The folders and repositories of one test file. */
export class GitFixture {
  readonly root: string = realpathSync(mkdtempSync(join(tmpdir(), "skillet-git-")));

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  /** A context whose home and user home are folders of this fixture. */
  context(
    more: Partial<Omit<FetchContext, "limits">> & { readonly limits?: Partial<HubLimits> } = {},
  ): FetchContext {
    const userHome = join(this.root, "user");
    mkdirSync(userHome, { recursive: true });
    return {
      home: join(this.root, "home"),
      allowedPrivateHosts: [],
      askedBy: "person",
      environment: { PATH: process.env.PATH, HOME: userHome },
      ...more,
      limits: { ...DEFAULT_HUB_LIMITS, ...more.limits },
    };
  }

  /** The files left in quarantine apart from its markers. */
  quarantined(): readonly string[] {
    const folder = join(this.root, "home", "quarantine");
    return existsSync(folder)
      ? execFileSync("ls", [folder], { encoding: "utf8" })
          .split("\n")
          .filter((name) => name.startsWith("fetch-"))
      : [];
  }

  repository(name: string, ...options: readonly string[]): Repository {
    const directory = join(this.root, name);
    execFileSync("git", ["init", "--quiet", "--initial-branch=main", ...options, directory], {
      env: ENVIRONMENT,
    });
    return new Repository(directory);
  }
}

/** A repository with a working tree. */
export class Repository {
  readonly directory: string;

  constructor(directory: string) {
    this.directory = directory;
  }

  get url(): string {
    return `file://${this.directory}`;
  }

  git(args: readonly string[], input: string | Uint8Array = ""): string {
    return execFileSync("git", args, {
      cwd: this.directory,
      env: ENVIRONMENT,
      input,
      encoding: "utf8",
      stdio: ["pipe", "pipe", "ignore"],
    }).trim();
  }

  /** Writes the files, if any, and commits everything; returns the commit. */
  commit(files: Readonly<Record<string, string | Uint8Array>>, message = "change"): string {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(this.directory, path)), { recursive: true });
      writeFileSync(join(this.directory, path), content);
    }
    this.git(["add", "--all", "--force"]);
    this.git(["commit", "--quiet", "--allow-empty", "--message", message]);
    return this.git(["rev-parse", "HEAD"]);
  }

  blob(content: string): string {
    return this.git(["hash-object", "-w", "--stdin"], content);
  }

  /** Creates a tree of exactly these entries, however invalid; names may be any bytes. */
  tree(
    entries: readonly { readonly mode: string; readonly name: string | Uint8Array; readonly id: string }[],
  ): string {
    const bytes = entries.map(({ mode, name, id }) =>
      Buffer.concat([Buffer.from(`${mode} `), Buffer.from(name), Buffer.from([0]), Buffer.from(id, "hex")]),
    );
    return this.git(["hash-object", "-t", "tree", "-w", "--stdin", "--literally"], Buffer.concat(bytes));
  }

  /** Creates a branch with a single commit of a tree. */
  branch(name: string, tree: string): string {
    const commit = this.git(["commit-tree", tree, "-m", "made"]);
    this.git(["update-ref", `refs/heads/${name}`, commit]);
    return commit;
  }
}
