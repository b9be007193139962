import { once } from "node:events";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { GitSource } from "../source.ts";
import { openGitSource } from "./open-git-source.ts";
import { resolveGit } from "./resolve-remote.ts";
import { GitFixture, gitMissing } from "./testing/git-fixture.ts";
import { GitHttpServer, httpBackendMissing } from "./testing/git-http-server.ts";

const missing = gitMissing() ?? httpBackendMissing();
if (missing !== undefined) console.warn(`Failing servers are not tested: ${missing}.`);

const git = (url: string, more: Partial<GitSource> = {}): GitSource => ({ kind: "git", url, ...more });

describe.skipIf(missing !== undefined)("what goes wrong is told apart", () => {
  let fixture: GitFixture;
  let server: GitHttpServer;
  beforeAll(async () => {
    fixture = new GitFixture();
    const repository = fixture.repository("repo");
    repository.commit({ "SKILL.md": "text" });
    repository.git(["branch", "develop"]);
    repository.git(["tag", "v1.0"]);
    repository.git(["config", "uploadpack.allowFilter", "true"]);
    fixture.repository("empty");
    server = await GitHttpServer.start(fixture.root);
  });
  afterEach(() => {
    server.intercept = () => false;
    expect(fixture.quarantined()).toEqual([]);
  });
  afterAll(async () => {
    await server.stop();
    fixture.remove();
  });

  const refusalOf = (
    source: GitSource,
    context = fixture.context(),
  ): Promise<{ code: string; message: string }> =>
    openGitSource(source, context).then(
      () => ({ code: "none", message: "" }),
      (error) => error,
    );

  test("no repository there, over file and http", async () => {
    for (const url of [`file://${fixture.root}/none`, server.url("none")])
      expect(await refusalOf(git(url))).toMatchObject({ code: "git-not-found" });
  });

  test("a repository without commits", async () => {
    expect(await refusalOf(git(server.url("empty/.git")))).toMatchObject({ code: "git-empty" });
  });

  test("a ref that is not there, with the nearest ones", async () => {
    const url = server.url("repo/.git");
    expect(await refusalOf(git(url, { ref: "develp" }))).toMatchObject({
      code: "git-ref-missing",
      data: { suggestions: ["develop"] },
    });
    expect((await refusalOf(git(url, { refAndFolder: "nope/skills" }))).message).toContain('"main"');
  });

  test("a commit that is not there", async () => {
    for (const url of [server.url("repo/.git"), `file://${fixture.root}/repo`])
      expect(await refusalOf(git(url, { ref: "a".repeat(40) }))).toMatchObject({ code: "git-ref-missing" });
  });

  test("a server that wants a login, and what to do", async () => {
    server.intercept = (_, response) => {
      response.writeHead(401, { "WWW-Authenticate": 'Basic realm="x"' }).end();
      return true;
    };
    const error = await refusalOf(git(server.url("repo/.git")));
    expect(error).toMatchObject({ code: "git-authentication" });
    expect(error.message).toContain("credential helper");
    expect(server.requests.every(({ authorization }) => authorization === undefined)).toBe(true);
  });

  test("the user's own credential helper is asked, and what it says appears in no message", async () => {
    const context = fixture.context();
    const home = context.environment.HOME ?? "";
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, "helper"), "#!/bin/sh\necho username=me\necho password=hunter2\n");
    chmodSync(join(home, "helper"), 0o755);
    writeFileSync(join(home, ".gitconfig"), `[credential]\n\thelper = ${home}/helper\n`);
    const login = `Basic ${Buffer.from("me:hunter2").toString("base64")}`;
    server.intercept = (request, response) => {
      if (request.headers.authorization === login) return false;
      response.writeHead(401, { "WWW-Authenticate": 'Basic realm="x"' }).end();
      return true;
    };
    expect(await resolveGit(git(server.url("repo/.git")), context)).toMatchObject({ ref: "refs/heads/main" });
    server.intercept = (_, response) => {
      response.writeHead(401, { "WWW-Authenticate": 'Basic realm="x"' }).end();
      return true;
    };
    const error = await refusalOf(git(server.url("repo/.git")), context);
    expect(error).toMatchObject({ code: "git-authentication" });
    expect(error.message).not.toContain("hunter2");
    writeFileSync(join(home, ".gitconfig"), "");
  });

  test("no server listens", async () => {
    const other = createServer();
    other.listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    other.close();
    await once(other, "close");
    expect(await refusalOf(git(`http://127.0.0.1:${port}/repo`))).toMatchObject({ code: "git-network" });
  });

  test("a server that fails, breaks off, or sends something else", async () => {
    const url = server.url("repo/.git");
    for (const status of [500, 503]) {
      server.intercept = (_, response) => {
        response.writeHead(status).end();
        return true;
      };
      expect(await refusalOf(git(url))).toMatchObject({ code: "git-network" });
    }
    server.intercept = (request, response) => {
      if (request.method === "GET") return false;
      response.writeHead(200, {
        "Content-Type": "application/x-git-upload-pack-result",
        "Content-Length": "9999",
      });
      response.write("0008NAK\n");
      response.destroy();
      return true;
    };
    expect(await refusalOf(git(url))).toMatchObject({ code: "git-network" });
    server.intercept = (_, response) => {
      response
        .writeHead(200, { "Content-Type": "text/html" })
        .end("<html>remote: Authentication failed</html>");
      return true;
    };
    expect(await refusalOf(git(url))).toMatchObject({ code: "git-empty" });
  });

  test("a connection that breaks in the middle of a pack", async () => {
    let posts = 0;
    server.intercept = (request, response) => {
      posts += request.method === "POST" ? 1 : 0;
      // The first asks for refs, the second for objects.
      if (posts < 2 || request.method !== "POST") return false;
      response.writeHead(200, { "Content-Type": "application/x-git-upload-pack-result" });
      response.write("000dpackfile\n0011\u0001PACK\u0000\u0000\u0000\u0002");
      response.destroy();
      return true;
    };
    expect(await refusalOf(git(server.url("repo/.git")))).toMatchObject({ code: "git-network" });
  });

  test("a server that never answers ends at the deadline", async () => {
    server.intercept = () => true;
    const context = fixture.context({ limits: { deadlineMs: 700 } });
    expect(await refusalOf(git(server.url("repo/.git")), context)).toMatchObject({ code: "git-deadline" });
  });

  test("the caller's signal ends it, before and in the middle", async () => {
    const stop = new AbortController();
    server.intercept = () => {
      stop.abort();
      return true;
    };
    const context = fixture.context({ signal: stop.signal });
    for (let time = 0; time < 2; time += 1)
      await expect(openGitSource(git(server.url("repo/.git")), context)).rejects.toMatchObject({
        name: "AbortError",
      });
  });

  test("a machine without git", async () => {
    const context = fixture.context({ environment: { PATH: `.:relative::${fixture.root}` } });
    expect(await refusalOf(git(server.url("repo/.git")), context)).toMatchObject({ code: "git-missing" });
  });

  describe("redirects", () => {
    let other: Server;
    let seen: string[];
    beforeAll(async () => {
      seen = [];
      other = createServer((request, response) => {
        seen.push(`${request.url} ${request.headers.authorization}`);
        response.writeHead(404).end();
      });
      other.listen(0, "127.0.0.1");
      await once(other, "listening");
    });
    afterAll(() => other.close());

    test.each(["ext::touch trap", "file:///etc", "ftp://127.0.0.1/x"])(
      "to %s are not followed",
      async (location) => {
        server.intercept = (_, response) => {
          response.writeHead(302, { Location: location }).end();
          return true;
        };
        expect(await refusalOf(git(server.url("repo/.git")))).toMatchObject({ code: "git-redirect" });
      },
    );

    test("after the first answer are not followed", async () => {
      const { port } = other.address() as AddressInfo;
      server.intercept = (request, response) => {
        if (request.method === "GET") return false;
        response.writeHead(307, { Location: `http://127.0.0.1:${port}/evil` }).end();
        return true;
      };
      expect((await refusalOf(git(server.url("repo/.git")))).code).toMatch(/^git-/);
      expect(seen).toEqual([]);
    });
  });
});
