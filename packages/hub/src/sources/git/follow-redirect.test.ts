import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { FetchContext } from "../fetch-context.ts";
import { type Served, serve, serveFiles } from "../http/testing/serve.ts";
import { followRedirect, gitRoute } from "./git-route.ts";
import { openGitSource } from "./open-git-source.ts";
import { GitFixture, gitMissing } from "./testing/git-fixture.ts";
import { GitHttpServer, httpBackendMissing } from "./testing/git-http-server.ts";

const missing = gitMissing() ?? httpBackendMissing();
if (missing !== undefined) console.warn(`Redirects of git are not tested: ${missing}.`);

const fixture = new GitFixture();
afterAll(() => fixture.remove());
const PUBLIC = "93.184.216.34";

describe("where a server sends git", () => {
  const lead = async (
    location: string,
    more: Partial<Omit<FetchContext, "limits">> = {},
    from = "https://a.example/x",
  ): Promise<unknown> => {
    const context = fixture.context({
      lookUp: async (host) => [host.startsWith("inner") ? "10.0.0.5" : PUBLIC],
      ...more,
    });
    const directory = "/quarantine/x";
    const route = await gitRoute(from, context);
    const repository = { program: "/usr/bin/git", directory, url: from, context, route };
    const found = await followRedirect(
      repository,
      `== Info\n<= Recv header: Location: ${location}\n<= Recv header: Date: x\n`,
    );
    return found.url;
  };
  const TAIL = "/info/refs?service=git-upload-pack";

  test.each(["person", "content"] as const)("is public, or refused, where a %s asks", async (askedBy) => {
    expect(await lead(`https://b.example/y${TAIL}`, { askedBy })).toBe("https://b.example/y");
    expect(await lead(`/y${TAIL}`, { askedBy })).toBe("https://a.example/y");
    for (const host of ["inner.example", "127.0.0.1", "[::1]:8443", "10.0.0.5", "169.254.169.254"])
      await expect(lead(`https://${host}/y${TAIL}`, { askedBy })).rejects.toMatchObject({
        code: "address-refused",
      });
    const allowedPrivateHosts = ["inner.example"];
    expect(await lead(`https://inner.example/y${TAIL}`, { askedBy, allowedPrivateHosts })).toBe(
      "https://inner.example/y",
    );
  });

  test("may be private where a person's own server was", async () => {
    const from = "https://inner.example/x";
    expect(await lead(`https://inner2.example/y${TAIL}`, {}, from)).toBe("https://inner2.example/y");
    const content = { askedBy: "content", allowedPrivateHosts: ["inner.example"] } as const;
    await expect(lead(`https://inner2.example/y${TAIL}`, content, from)).rejects.toMatchObject({
      code: "address-refused",
    });
  });

  test.each([
    `http://b.example/y${TAIL}`,
    `https://user:word@b.example/y${TAIL}`,
    "https://b.example/login",
    "https://b.example/y/info/refs",
    `ssh://b.example/y${TAIL}`,
    "file:///etc/info/refs",
  ])("is not followed where that is not a repository over https: %s", async (location) => {
    await expect(lead(location)).rejects.toMatchObject({ code: "git-redirect" });
  });

  test("is not believed of a server that does not speak http", async () => {
    await expect(lead(`https://b.example/y${TAIL}`, {}, "git@a.example:x")).rejects.toMatchObject({
      code: "git-redirect",
    });
  });
});

describe.skipIf(missing !== undefined)("with real servers", () => {
  let server: GitHttpServer;
  let commit: string;
  beforeAll(async () => {
    commit = fixture.repository("repo").commit({ "SKILL.md": "text" });
    server = await GitHttpServer.start(fixture.root);
  });
  afterAll(() => server.stop());

  const sendTo = (origin: string): Promise<Served> =>
    serve((request, response) => {
      const url = request.url?.replace("/old/", "/repo/");
      response.writeHead(301, { location: `${origin}${url}`, "content-length": 0 }).end();
    });

  test("a repository that has moved is read, and keeps the name that it was asked for by", async () => {
    const outer = await sendTo(server.url("").slice(0, -1));
    const url = `${outer.origin}/old/.git`;
    const opened = await openGitSource({ kind: "git", url }, fixture.context());
    expect(opened.resolved).toEqual({ kind: "git", url, ref: "refs/heads/main", commit });
    expect(await opened.read(["SKILL.md"])).toMatchObject([{ bytes: Buffer.from("text") }]);
    await opened.close();
  });

  test("one that goes round is given up on", async () => {
    const round = await serve((request, response) => {
      response.writeHead(302, { location: request.url ?? "", "content-length": 0 }).end();
    });
    await expect(
      openGitSource({ kind: "git", url: `${round.origin}/x` }, fixture.context()),
    ).rejects.toMatchObject({ code: "git-redirect", message: expect.stringContaining("5 times") as string });
  });

  test("an allowed server does not lead content on to one of this machine that is not", async () => {
    const inner = await serveFiles({});
    const outer = await sendTo(inner.origin);
    const context = fixture.context({ askedBy: "content", allowedPrivateHosts: [outer.host] });
    await expect(openGitSource({ kind: "git", url: `${outer.origin}/x.git` }, context)).rejects.toMatchObject(
      { code: "git-protocol-refused" },
    );
    expect(inner.asked).toEqual([]);
  });

  test("a public server does not lead a person to one of their machine", async () => {
    const inner = await serveFiles({});
    const outer = await sendTo(inner.origin);
    const context = fixture.context({
      allowedPrivateHosts: ["public.example"],
      lookUp: async () => [PUBLIC],
    });
    // Stands for the public server's own address, which no test can have.
    writeFileSync(
      join(context.environment.HOME ?? "", ".gitconfig"),
      `[url "${outer.origin}/"]\n\tinsteadOf = http://public.example/\n`,
    );
    await expect(
      openGitSource({ kind: "git", url: "http://public.example/x.git" }, context),
    ).rejects.toMatchObject({ code: "address-refused" });
    expect(inner.asked).toEqual([]);
  });
});
