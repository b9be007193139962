import { expect, test } from "vitest";
import { sshArgv } from "./ssh-argv.ts";

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
