import { execFileSync } from "node:child_process";
import { networkInterfaces } from "node:os";
import fc from "fast-check";
import { expect, test } from "vitest";
import { allowHostCommand, checkedAddresses } from "./address.ts";
import { download } from "./download.ts";
import { fetchContextFor } from "./testing/fetch-context-for.ts";
import { serveFiles } from "./testing/serve.ts";

const never = new AbortController().signal;
const check = (
  url: string,
  hosts: readonly string[] = [],
  answers: readonly string[] = [],
): Promise<unknown> =>
  checkedAddresses(new URL(url), fetchContextFor(hosts, { lookUp: async () => answers }), never);

test.each([
  "http://127.0.0.1/",
  "http://2130706433/",
  "http://0x7f.1/",
  "http://0177.0.0.1/",
  "http://127.1/",
  "http://0/",
  "http://[::]/",
  "http://[::1]/",
  "http://[::ffff:7f00:1]/",
  "http://[64:ff9b::169.254.169.254]/",
  "http://[fe80::1]/",
  "http://[fd00:ec2::254]/",
  "http://100.64.0.1/",
  "http://169.254.169.254/",
  "http://192.168.0.1/",
  "http://224.0.0.1/",
  "http://１２７.０.０.１/",
])("%s is refused", async (url) => {
  await expect(check(url)).rejects.toMatchObject({ code: "address-refused" });
});

test("a name is refused that leads to a private address, also beside public ones", async () => {
  await expect(check("http://a.test/", [], ["10.0.0.1"])).rejects.toMatchObject({ code: "address-refused" });
  await expect(check("http://a.test/", [], ["8.8.8.8", "127.0.0.1"])).rejects.toMatchObject({
    code: "address-refused",
  });
  await expect(check("http://a.test/", [], ["8.8.8.8", "fe80::1%eth0"])).rejects.toMatchObject({
    code: "address-refused",
  });
  await expect(check("http://a.test/", [], ["8.8.8.8"])).resolves.toEqual(["8.8.8.8"]);
});

test("a refusal names the command that allows exactly this host and port, and loses none", async () => {
  await expect(check("http://a.test:8080/x?y", [], ["10.0.0.1"])).rejects.toThrow(
    `pass --private-host a.test:8080, or allow it for good: skillet config set hub.privateHosts '["a.test:8080"]'`,
  );
  await expect(check("http://[::1]:9/", ["b.test"])).rejects.toThrow(
    `skillet config set hub.privateHosts '["b.test","[::1]:9"]'`,
  );
});

test("a host is allowed by its name, by name and port, and by no part of either", async () => {
  const lead = ["127.0.0.1"];
  for (const hosts of [["a.test"], ["A.test:8080"], ["a.test.:8080"]])
    await expect(check("http://a.test:8080/", hosts, lead)).resolves.toEqual(lead);
  await expect(check("http://[::1]:9/", ["[::1]:9"])).resolves.toEqual(["::1"]);
  await expect(check("http://a.test/", ["a.test:80"], lead)).resolves.toEqual(lead);
  for (const hosts of [["test"], ["a.test:80"], ["127.0.0.1"], ["b.a.test"], ["a.tes"], [""]])
    await expect(check("http://a.test:8080/", hosts, lead)).rejects.toMatchObject({
      code: "address-refused",
    });
});

test("a name without an address, or with something else than one, is an error of its own", async () => {
  for (const answers of [[], ["not an address"]])
    await expect(check("http://a.test/", [], answers)).rejects.toMatchObject({ code: "http-dns" });
});

test("a name that changes its meaning is asked once, and what was checked is connected to", async () => {
  const { port, asked } = await serveFiles({ "/": "first" });
  let lookUps = 0;
  const context = fetchContextFor([`rebind.test:${port}`], {
    // Nothing listens at the second address, which is what a second look-up would lead to.
    lookUp: async () => [lookUps++ === 0 ? "127.0.0.1" : "127.0.0.2"],
  });
  const { bytes } = await download(`http://rebind.test:${port}/`, context);
  expect(new TextDecoder().decode(bytes)).toBe("first");
  expect([lookUps, asked]).toEqual([1, ["/"]]);
  await expect(download(`http://rebind.test:${port}/`, context)).rejects.toMatchObject({
    code: "http-unreachable",
  });
});

const [loopback] =
  Object.entries(networkInterfaces()).find(([, own]) => own?.some(({ address }) => address === "::1")) ?? [];

test.skipIf(loopback === undefined)("an address with a zone is connected to", async () => {
  const { port } = await serveFiles({ "/": "here" }, "::1");
  const lookUp = async (): Promise<readonly string[]> => [`0:0::1%${loopback}`];
  const context = fetchContextFor([`zone.test:${port}`], { lookUp });
  const { bytes } = await download(`http://zone.test:${port}/`, context);
  expect(new TextDecoder().decode(bytes)).toBe("here");
});

test("a look-up that never ends does not outlive the deadline", async () => {
  const context = fetchContextFor([], {
    lookUp: () => new Promise(() => undefined),
    limits: { deadlineMs: 50 },
  });
  await expect(download("http://slow.test/", context)).rejects.toMatchObject({ code: "http-stalled" });
});

/** The value that the command would set, in a shell in which it only prints its last argument. */
function pasted(command: string): unknown {
  const script = `skillet() { [ $# = 4 ] && printf %s "$1 $2 $3 $4"; }; ${command}`;
  const printed = execFileSync("sh", ["-c", script], { encoding: "utf8" });
  const start = "config set hub.privateHosts ";
  expect(printed.startsWith(start)).toBe(true);
  return JSON.parse(printed.slice(start.length));
}

test("the command names the host, and keeps those that are allowed", () => {
  expect(allowHostCommand("git.example:8080", { allowedPrivateHosts: [] })).toBe(
    `skillet config set hub.privateHosts '["git.example:8080"]'`,
  );
  const command = allowHostCommand("b.example", { allowedPrivateHosts: ["a.example", "b.example"] });
  expect(pasted(command)).toEqual(["a.example", "b.example"]);
});

test("no host that a URL can hold becomes a command of its own", () => {
  const { host } = new URL(`http://a';printf\${IFS}x;'\`id\`$(id)".example/`);
  expect(host).toContain("'");
  expect(pasted(allowHostCommand(host, { allowedPrivateHosts: [] }))).toEqual([host]);
  fc.assert(
    fc.property(fc.stringMatching(/^[!-~]{1,40}$/), (text) => {
      expect(pasted(allowHostCommand(text, { allowedPrivateHosts: ["a"] }))).toEqual([
        ...new Set(["a", text]),
      ]);
    }),
    { numRuns: 40 },
  );
});
