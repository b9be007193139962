import fc from "fast-check";
import { expect, test } from "vitest";
import { checkSshOptions, type SshOptions, sshArgv } from "./ssh-options.ts";

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
])("%j is not a destination", (destination) => {
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

test("a connection asks nothing, trusts no new host and lends nothing", () => {
  const argv = sshArgv(
    {
      destination: "me@host",
      port: 2222,
      identityFile: "/keys/a b%c",
      configFile: "/config",
      knownHostsFile: "/known",
    },
    "the command",
  );
  expect(argv).toEqual([
    ...["/bin/sh", "-c", 'exec ssh "$@" <&3 3<&-', "sh", "-F", "/config", "-T"],
    ...["-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=yes", "-o", "UpdateHostKeys=no"],
    ...["-o", "RequestTTY=no", "-o", "EscapeChar=none", "-o", "ForwardAgent=no", "-o", "ForwardX11=no"],
    ...[
      "-o",
      "ClearAllForwardings=yes",
      "-o",
      "Tunnel=no",
      "-o",
      "PermitLocalCommand=no",
      "-o",
      "RemoteCommand=none",
    ],
    ...["-o", "ControlMaster=no", "-o", "ControlPath=none", "-o", "ConnectTimeout=15"],
    ...["-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=4", "-o", "LogLevel=ERROR"],
    ...["-o", "Port=2222", "-o", 'IdentityFile="/keys/a b%%c"', "-o", "IdentitiesOnly=yes"],
    ...[
      "-o",
      'UserKnownHostsFile="/known"',
      "-o",
      "GlobalKnownHostsFile=/dev/null",
      "--",
      "me@host",
      "the command",
    ],
  ]);
});
