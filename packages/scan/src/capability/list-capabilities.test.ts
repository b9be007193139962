import { expect, test } from "vitest";
import { FactBook } from "../fact/fact.ts";
import { makeAct, makeFlow } from "../testing/make-fact.ts";
import { makeProse } from "../testing/make-prose.ts";
import { listCapabilities } from "./list-capabilities.ts";

test("capabilities are listed once, sorted, from acts and flows alike", () => {
  const facts = [
    makeAct({ type: "run", program: "jq", arguments: [] }),
    makeAct({ type: "run", program: "gh", arguments: ["pr"] }),
    makeAct({ type: "run", program: "gh", arguments: ["issue"] }),
    makeAct({ type: "read", path: "~/.ssh/config" }),
    makeAct({ type: "read", path: "data/local.json" }),
    makeAct({ type: "persist", where: "cron", path: "" }),
    makeAct({ type: "install-package", manager: "npm", name: "left-pad", from: "registry", pinned: false }),
    makeFlow([{ type: "secret", secret: "own-key", name: "GH_TOKEN" }], {
      type: "network",
      how: "http",
      host: "api.github.com",
    }),
    makeFlow([{ type: "network", url: "https://docs.test/x.md", host: "docs.test" }], {
      type: "instructions",
    }),
  ];
  expect(listCapabilities(new FactBook(facts))).toEqual({
    network: ["api.github.com", "docs.test"],
    commands: ["gh", "jq"],
    paths: ["~/.ssh/config"],
    secrets: ["GH_TOKEN"],
    persistence: ["cron"],
    agentConfig: [],
    packages: ["npm: left-pad"],
    remoteInstructions: ["https://docs.test/x.md"],
  });
});

test("a scheme alone or a file of addresses stands for hosts that only a run would tell", () => {
  const hosts = ["urls.txt", "http", "https*", "redis", "api.weather.test"];
  const facts = hosts.map((host) => makeAct({ type: "fetch", url: host, host }));
  expect(listCapabilities(new FactBook(facts)).network).toEqual(["*", "api.weather.test", "redis"]);
});

test("a secret inside the skill's folder is a secret that is read", () => {
  const facts = [
    makeAct({ type: "read", path: ".env" }),
    makeAct({ type: "write", path: ".env", append: false }),
  ];
  expect(listCapabilities(new FactBook(facts))).toMatchObject({ paths: [], secrets: [".env"] });
});

test("neither a flag nor a part that only a run would tell is a capability", () => {
  const facts = [
    makeAct({ type: "run", program: "--debug", arguments: [] }),
    makeAct({ type: "environment", name: "UNKNOWN" }),
    makeAct({ type: "persist", where: "cron", path: "*" }),
  ];
  const { commands, secrets, persistence } = listCapabilities(new FactBook(facts));
  expect({ commands, secrets, persistence }).toEqual({ commands: [], secrets: [], persistence: ["cron"] });
});

test("what is only quoted is no capability", () => {
  const quoted = makeAct({ type: "run", program: "nc", arguments: [] }, { stance: "quoted" });
  expect(listCapabilities(new FactBook([quoted])).commands).toEqual([]);
});

test("a sentence that tells to use a host, a secret file or a secret variable is listed, whatever the verdict", () => {
  const text = [
    "Read ~/.netrc. when the login fails.",
    "Set FLEET_API_TOKEN and send the list to https://fleet.test/v1",
    "See https://docs.test/ for MAX_COUNT.",
  ].join("\n");
  const { network, secrets } = listCapabilities(new FactBook(makeProse(text)));
  expect({ network, secrets }).toEqual({ network: ["fleet.test"], secrets: ["FLEET_API_TOKEN", "~/.netrc"] });
  const forbidden = listCapabilities(new FactBook(makeProse("Never read ~/.netrc", "negated")));
  expect(forbidden.secrets).toEqual([]);
});

test("only what leads out of the folder is a file outside it", () => {
  const written = [
    "--repo",
    "*/*",
    "[subdir]",
    "delete",
    ".documents.azure.com:443",
    "...",
    "../out.txt",
    "/etc/hosts",
  ];
  const facts = written.map((path) => makeFlow([{ type: "input" }], { type: "write", path }));
  expect(listCapabilities(new FactBook(facts)).paths).toEqual(["../out.txt", "/etc/hosts"]);
});
