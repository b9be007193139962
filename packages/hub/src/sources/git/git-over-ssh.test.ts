import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { FetchContext } from "../fetch-context.ts";
import type { GitSource } from "../source.ts";
import { openGitSource } from "./open-git-source.ts";
import { GitFixture, gitMissing, type Repository } from "./testing/git-fixture.ts";
import { SshServer, sshServerMissing } from "./testing/ssh-server.ts";

const missing = gitMissing() ?? sshServerMissing();
if (missing !== undefined) console.warn(`git over ssh is not tested: ${missing}.`);

const git = (url: string, more: Partial<GitSource> = {}): GitSource => ({ kind: "git", url, ...more });

describe.skipIf(missing !== undefined)("over ssh", () => {
  let fixture: GitFixture;
  let repository: Repository;
  let server: SshServer;
  let first: string;
  let tip: string;
  let fork: string;

  beforeAll(async () => {
    fixture = new GitFixture();
    repository = fixture.repository("owner/repo");
    first = repository.commit({ "SKILL.md": "first" });
    tip = repository.commit({ "SKILL.md": "text" });
    // A stranger's proposal, and a commit of a fork in the same store.
    fork = repository.git([
      "commit-tree",
      repository.tree([{ mode: "100644", name: "SKILL.md", id: repository.blob("evil") }]),
      "-m",
      "x",
    ]);
    repository.git(["update-ref", "refs/pull/1/head", fork]);
    for (const setting of ["uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"])
      repository.git(["config", setting, "true"]);
    server = await SshServer.start(join(fixture.root, "sshd"));
  });
  afterAll(async () => {
    await server.stop();
    fixture.remove();
  });

  const context = (): FetchContext => {
    const plain = fixture.context();
    return { ...plain, environment: { ...plain.environment, GIT_SSH_COMMAND: server.command } };
  };

  test("a repository is read with the user's own ssh command", async () => {
    const url = server.url(repository.directory);
    const opened = await openGitSource(git(url), context());
    expect(opened.resolved).toEqual({ kind: "git", url, ref: "refs/heads/main", commit: tip });
    expect(await opened.read(["SKILL.md"])).toMatchObject([{ bytes: Buffer.from("text") }]);
    expect(opened.identity).toBeUndefined();
    await opened.close();
  });

  test("an unknown key, and an unknown host, end without a question", async () => {
    const plain = fixture.context();
    for (const command of [
      server.command.replace(/UserKnownHostsFile=\S+/, "UserKnownHostsFile=/dev/null"),
      server.command.replace(/-i \S+/, "-i /nonexistent"),
    ]) {
      const environment = { ...plain.environment, GIT_SSH_COMMAND: command };
      await expect(
        openGitSource(git(server.url(repository.directory)), { ...plain, environment }),
      ).rejects.toMatchObject({ code: "git-authentication" });
    }
  });

  test("a repository that is not there is told apart", async () => {
    await expect(openGitSource(git(server.url("/nonexistent/x")), context())).rejects.toMatchObject({
      code: "git-not-found",
    });
  });

  describe("as github.com, by the user's own insteadOf", () => {
    const GITHUB = "https://github.com/Owner/repo";
    beforeAll(() => {
      const home = fixture.context().environment.HOME ?? "";
      writeFileSync(
        join(home, ".gitconfig"),
        `[url "${server.url(join(fixture.root, "owner"))}/"]\n\tinsteadOf = https://github.com/Owner/\n`,
      );
    });

    test("what is on a branch is the owner's", async () => {
      const opened = await openGitSource(git(GITHUB), context());
      expect(opened).toMatchObject({
        identity: "owner/repo",
        diagnostics: [],
        resolved: { url: GITHUB, commit: tip },
      });
      await opened.close();
    });

    test("a commit that is, or was, on a branch is the owner's, asked for by its id or by a lock", async () => {
      for (const commit of [tip, first]) {
        const byId = await openGitSource(git(GITHUB, { ref: commit }), context());
        expect(byId).toMatchObject({ identity: "owner/repo", diagnostics: [] });
        await byId.close();
      }
      const expected = { kind: "git", url: GITHUB, commit: first } as const;
      const pinned = await openGitSource(git(GITHUB), context(), expected);
      expect(pinned.identity).toBe("owner/repo");
      await pinned.close();
    });

    test("a stranger's commit in the same store has no identity, and a diagnostic says so", async () => {
      for (const ref of [fork, "refs/pull/1/head"]) {
        const opened = await openGitSource(git(GITHUB, { ref }), context());
        expect(opened.resolved).toMatchObject({ commit: fork });
        expect(opened.identity).toBeUndefined();
        expect(opened.diagnostics).toMatchObject([{ code: "git-commit-unproven" }]);
        await opened.close();
      }
    });

    test("a lock that names a branch beside a stranger's commit does not make it the owner's", async () => {
      const expected = { kind: "git", url: GITHUB, ref: "refs/heads/main", commit: fork } as const;
      const opened = await openGitSource(git(GITHUB), context(), expected);
      expect(opened.identity).toBeUndefined();
      await opened.close();
    });
  });
});
