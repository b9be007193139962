import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { FetchContext } from "../fetch-context.ts";
import { serveFiles } from "../http/testing/serve.ts";
import { gitRoute } from "./git-route.ts";
import { gitSettings } from "./git-settings.ts";
import { openGitSource } from "./open-git-source.ts";
import { GitFixture, gitMissing } from "./testing/git-fixture.ts";
import { GitHttpServer, httpBackendMissing } from "./testing/git-http-server.ts";

const missing = gitMissing() ?? httpBackendMissing();
if (missing !== undefined) console.warn(`The way of git to a server is not tested: ${missing}.`);

const fixture = new GitFixture();
afterAll(() => fixture.remove());
const PUBLIC = "93.184.216.34";
const URLS = [
  "https://git.example/x",
  "ssh://git.example/x",
  "ssh://git@git.example:2222/x",
  "git@git.example:x",
];

function contextOf(askedBy: "person" | "content", more: Partial<FetchContext> = {}): FetchContext {
  return { ...fixture.context(), askedBy, ...more, limits: fixture.context().limits };
}

describe("what content names", () => {
  test.each(URLS)("is refused where it leads to a private address: %s", async (url) => {
    for (const addresses of [["10.0.0.5"], [PUBLIC, "127.0.0.1"], ["::1"], ["169.254.169.254"]]) {
      const context = contextOf("content", { lookUp: async () => addresses });
      await expect(gitRoute(url, context)).rejects.toMatchObject({ code: "address-refused" });
    }
  });

  test.each(URLS)("may be private where its host is allowed, or public: %s", async (url) => {
    const allowed = { allowedPrivateHosts: ["git.example"], lookUp: async () => ["10.0.0.5"] };
    for (const more of [allowed, { lookUp: async () => [PUBLIC] }])
      expect(await gitRoute(url, contextOf("content", more))).toMatchObject({ url });
  });

  test("is the default where the context does not say who asked", async () => {
    const { askedBy: _, ...context } = contextOf("content", { lookUp: async () => ["10.0.0.5"] });
    await expect(gitRoute("git@git.example:x", context)).rejects.toMatchObject({
      code: "address-refused",
    });
  });

  test("an ssh host is allowed by its port, which is 22 where none is written", async () => {
    const route = (url: string, host: string): Promise<unknown> =>
      gitRoute(url, contextOf("content", { allowedPrivateHosts: [host], lookUp: async () => ["10.0.0.5"] }));
    await expect(route("git@git.example:x", "git.example:22")).resolves.toBeDefined();
    await expect(route("ssh://git.example:2222/x", "git.example:2222")).resolves.toBeDefined();
    await expect(route("git@git.example:x", "git.example:80")).rejects.toThrow(
      `skillet config set hub.privateHosts '["git.example:80","git.example"]'`,
    );
    await expect(route("http://git.example:8080/x", "other.example")).rejects.toThrow(
      `skillet config set hub.privateHosts '["other.example","git.example:8080"]'`,
    );
  });

  test.each([
    "https://127.0.0.1/x",
    "https://[::1]/x",
    "https://10.1.2.3:8443/x",
    "ssh://git@192.168.0.1/x",
    "git@127.0.0.1:x",
  ])("is refused where it is a private address itself: %s", async (url) => {
    await expect(gitRoute(url, contextOf("content"))).rejects.toMatchObject({
      code: "address-refused",
    });
  });

  test.each([
    "https://git.example\\@127.0.0.1/x",
    "https://git.example@127.0.0.1:1/x",
    "https://0x7f.1/x",
    "https://2130706433/x",
    "https://user:word@git.example/x",
    "https://git.example#@127.0.0.1/x",
    "https://b\u00fccher.example/x",
    "https://git.example",
    "https:git.example/x",
    "ssh:///x",
  ])("is refused where programs could read its server differently: %s", async (url) => {
    const context = contextOf("content", { lookUp: async () => [PUBLIC] });
    await expect(gitRoute(url, context)).rejects.toMatchObject({
      code: expect.stringMatching(/^(?:git-protocol-refused|address-refused)$/) as string,
    });
  });

  test("has its addresses told to git, so that a second look-up gives no others", async () => {
    const context = contextOf("content", { lookUp: async () => [PUBLIC, "2606:2800:220:1::1"] });
    const route = await gitRoute("https://git.example./x", context);
    const settings = gitSettings({ ...route, limits: context.limits, hasToken: false });
    for (const name of ["git.example", "git.example."])
      expect(settings).toContain(`http.curloptResolve=${name}:443:${PUBLIC},[2606:2800:220:1::1]`);
  });
});

describe("what a person names", () => {
  test.each([...URLS, "https://127.0.0.1/x", "http://127.0.0.1:1/x"])(
    "may be a server of their own network, and is not looked up: %s",
    async (url) => {
      const lookUp = (): never => {
        throw new Error("looked up");
      };
      const route = await gitRoute(url, contextOf("person", { lookUp }));
      expect(route.pins).toEqual([]);
    },
  );
});

describe.skipIf(missing !== undefined)("with a real server", () => {
  let server: GitHttpServer;
  let commit: string;
  beforeAll(async () => {
    commit = fixture.repository("repo").commit({ "SKILL.md": "text" });
    server = await GitHttpServer.start(fixture.root);
  });
  afterAll(() => server.stop());

  test("git contacts no server on this machine for content", async () => {
    const inner = await serveFiles({});
    const source = { kind: "git", url: `${inner.origin}/admin/delete-everything` } as const;
    await expect(openGitSource(source, contextOf("content"))).rejects.toMatchObject({
      code: "git-protocol-refused",
    });
    expect(inner.asked).toEqual([]);
  });

  test("git connects to the address that was checked, whatever the system's resolver says", async () => {
    const host = `git.invalid:${server.port}`;
    const context = contextOf("content", { allowedPrivateHosts: [host], lookUp: async () => ["127.0.0.1"] });
    const opened = await openGitSource({ kind: "git", url: `http://${host}/repo/.git` }, context);
    expect(opened.resolved).toMatchObject({ commit });
    await opened.close();
  });
});
