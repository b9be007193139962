import { HOME_PLACE } from "../sandbox-places.ts";

/** Who a script is in the sandbox, whoever started it. */
export const SANDBOX_UID = 1000;
export const SANDBOX_HOSTNAME = "skillet";

const ID = SANDBOX_UID;

/** Files that programs expect in /etc; the host's own would name its users and networks. */
export const ACCOUNT_FILES: readonly (readonly [path: string, text: string])[] = [
  [
    "/etc/passwd",
    [
      "root:x:0:0:root:/:/usr/sbin/nologin",
      `skillet:x:${ID}:${ID}:skillet:${HOME_PLACE}:/bin/sh`,
      "nobody:x:65534:65534:nobody:/:/usr/sbin/nologin",
      "",
    ].join("\n"),
  ],
  ["/etc/group", ["root:x:0:", `skillet:x:${ID}:`, "nogroup:x:65534:", ""].join("\n")],
  ["/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\nservices: files\nprotocols: files\n"],
  ["/etc/hosts", `127.0.0.1 localhost ${SANDBOX_HOSTNAME}\n::1 localhost\n`],
];
