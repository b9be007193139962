import fc from "fast-check";
import { expect, test } from "vitest";
import { checkSshOptions, type SshOptions } from "./ssh-options.ts";

const refusal = (options: SshOptions): unknown => {
  try {
    checkSshOptions(options);
    return undefined;
  } catch (error) {
    return (error as { code: string; data: { option: string } }).data.option;
  }
};

test.each(["host", "user@host.example.org", "ada@::1", "me.too+x@10.0.0.1", "build_1"])(
  "%s is a destination",
  (destination) => {
    expect(refusal({ destination })).toBeUndefined();
  },
);

test.each([
  "",
  "-oProxyCommand=id",
  "a@-oProxyCommand=id",
  "host;id",
  "$(id)",
  "a b",
  "host\n",
  "`id`",
  "a@b@c",
  "h'x",
])("%j is no destination", (destination) => {
  expect(refusal({ destination })).toBe("destination");
});

test("no destination that is taken begins with a dash or holds a sign of a shell", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme-ascii", maxLength: 12 }), (destination) => {
      if (refusal({ destination }) === undefined) expect(destination).toMatch(/^[^-][A-Za-z0-9_.+@:%[\]-]*$/);
    }),
  );
});

test.each([
  ["port", { port: 0 }],
  ["port", { port: 1.5 }],
  ["identityFile", { identityFile: "key" }],
  ["knownHostsFile", { knownHostsFile: '/a"b' }],
  ["configFile", { configFile: "/a/../b" }],
  ["workspace", { workspace: "/a\nb" }],
  ["directory", { directory: ["/a/$", "{HOME}"].join("") }],
])("a bad %s is refused", (option, more) => {
  expect(refusal({ destination: "host", ...more })).toBe(option);
});
