import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { HubOptions } from "../hub-options.ts";
import { createKey, formatPublicKey } from "../signature/key.ts";
import { serve } from "../sources/http/testing/serve.ts";
import { zipBytes } from "../sources/testing/zip-bytes.ts";
import { BODIES, hubSandbox, skillText, wanted, writeFiles } from "../testing/hub-sandbox.ts";

type Sandbox = ReturnType<typeof hubSandbox>;

const hasGit = spawnSync("git", ["--version"]).status === 0;
if (!hasGit) console.warn("Rules for repositories in folders are not tested: git is not installed.");

const key = formatPublicKey(createKey());
const skill = { "SKILL.md": skillText("pdf", BODIES.safe) };

/** Installs an unsigned skill where a rule asks for a signature; returns the refusal, or `installed`. */
async function install(
  sandbox: Sandbox,
  { rule, source, ...options }: { rule: string; source: string } & Partial<HubOptions>,
): Promise<string | undefined> {
  const hub = await sandbox.open({ ...options, signatures: [{ sources: rule, keys: [key] }] });
  const plan = await hub.planInstall(wanted(source));
  if (plan.refusals.length > 0) return plan.refusals[0]?.code;
  return (await hub.apply(plan, { acceptCapabilities: true }))[0]?.outcome;
}

describe("a rule for a folder", () => {
  const folders = (): Sandbox => {
    const sandbox = hubSandbox();
    writeFiles(join(sandbox.folder, "srv/skills/pdf"), skill);
    writeFiles(join(sandbox.userHome, "skills/pdf"), skill);
    writeFiles(join(sandbox.project, "own/pdf"), skill);
    symlinkSync(join(sandbox.folder, "srv/skills"), join(sandbox.folder, "alias"));
    return sandbox;
  };

  test.each([
    ["by its path", "/srv/skills", "/srv/skills/pdf"],
    ["with a slash at its end", "/srv/skills/", "/srv/skills/pdf"],
    ["as a URL", "file:///srv/skills", "/srv/skills/pdf"],
    ["through a link", "/srv/skills", "/alias/pdf"],
    ["where it is a link itself", "/alias", "/srv/skills/pdf"],
    ["where a pattern follows a link", "/alias/p*", "/srv/skills/pdf"],
  ])("holds %s", async (_title, rule, source) => {
    const sandbox = folders();
    const { folder } = sandbox;
    const written = rule.startsWith("file://") ? `file://${folder}${rule.slice(7)}` : `${folder}${rule}`;
    expect(await install(sandbox, { rule: written, source: `${folder}${source}` })).toBe("signature-missing");
  });

  test("holds where it is written from the home, or the source from where one stands", async () => {
    const sandbox = folders();
    const { folder, userHome, project } = sandbox;
    const refused = "signature-missing";
    expect(await install(sandbox, { rule: "~/skills", source: `${userHome}/skills/pdf` })).toBe(refused);
    expect(await install(sandbox, { rule: `${folder}/srv`, source: "../srv/skills/pdf" })).toBe(refused);
    expect(await install(sandbox, { rule: `${project}/own`, source: "./own/pdf" })).toBe(refused);
  });

  test("holds also when what the lock names is brought back", async () => {
    const sandbox = folders();
    const { project } = sandbox;
    expect(await install(sandbox, { rule: "/elsewhere", source: "./own/pdf" })).toBe("installed");
    const hub = await sandbox.open({ signatures: [{ sources: `${project}/own`, keys: [key] }] });
    const plan = await hub.planRestore({ names: [], force: false });
    expect(plan).toMatchObject({ items: [], refusals: [{ code: "signature-missing" }] });
  });

  test("that depends on where one stands is an error", async () => {
    const sandbox = folders();
    await expect(install(sandbox, { rule: "./own", source: "./own/pdf" })).rejects.toMatchObject({
      code: "signature-rule-malformed",
    });
  });
});

describe("a rule for an archive", () => {
  test.each([
    ["by its address", (origin: string) => `${origin}/a.zip`, "/a.zip"],
    ["whatever query it is asked for with", (origin: string) => `${origin}/a.zip`, "/a.zip?x=1"],
    ["by any protocol", (origin: string) => origin.replace("http://", "*://"), "/a.zip"],
  ])("holds %s", async (_title, ruleOf, path) => {
    const zip = zipBytes([{ name: "SKILL.md", content: skill["SKILL.md"] }]);
    const { origin, host } = await serve((_, response) => {
      response.writeHead(200, { "content-length": zip.length }).end(zip);
    });
    const source = `${origin}${path}`;
    const allowedPrivateHosts = [host];
    const outcome = (rule: string) => install(hubSandbox(), { rule, source, allowedPrivateHosts });
    expect(await outcome(ruleOf(origin))).toBe("signature-missing");
    expect(await outcome("/elsewhere")).toBe("installed");
  });
});

describe.skipIf(!hasGit)("a rule for a repository in a folder", () => {
  const repository = (): Sandbox => {
    const sandbox = hubSandbox();
    const work = join(sandbox.folder, "work");
    mkdirSync(work);
    writeFiles(work, skill);
    const env = { PATH: process.env.PATH, HOME: sandbox.userHome, GIT_CONFIG_NOSYSTEM: "1" };
    const git = (...words: readonly string[]) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.test", ...words], {
        cwd: work,
        env,
        stdio: "ignore",
      });
    git("init", "-q", "-b", "main");
    git("add", ".");
    git("commit", "-q", "-m", "x");
    git("clone", "-q", "--bare", work, join(sandbox.folder, "acme.git"));
    symlinkSync(join(sandbox.folder, "acme.git"), join(sandbox.folder, "alias.git"));
    return sandbox;
  };

  test.each([
    ["by its URL", "/acme.git", "file://FOLDER/acme.git"],
    ["without the .git that git adds", "/acme.git", "file://FOLDER/acme"],
    ["with a slash at its end", "/acme.git/", "file://FOLDER/acme.git"],
    ["by detours", "/acme.git", "git:file://FOLDER/x/../acme.git"],
    ["through a link", "/acme.git", "git:file://FOLDER/alias"],
    ["by encodings", "/acme.git", "git:file://FOLDER/%61cme"],
    ["by the folder in its working tree", "/work", "git:file://FOLDER/work/.git"],
  ])("holds %s", async (_title, rule, source) => {
    const sandbox = repository();
    const { folder } = sandbox;
    const options = { rule: `file://${folder}${rule}`, source: source.replace("FOLDER", folder) };
    expect(await install(sandbox, options)).toBe("signature-missing");
    expect(await install(sandbox, { ...options, rule: "/elsewhere" })).toBe("installed");
  });
});
