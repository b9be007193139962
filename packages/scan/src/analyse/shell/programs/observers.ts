import type { DataSource } from "../../../fact/data-source.ts";
import type { Program } from "../shell-call.ts";
import { EMPTY, known, UNKNOWN, unknown } from "../value.ts";

const tells =
  (source: DataSource): Program =>
  () =>
    unknown([source]);

/** Records the screen, the microphone or the camera into a file. */
const captures =
  (what: "screen" | "microphone" | "camera"): Program =>
  ({ texts }, shell) => {
    const file = texts.findLast((text) => /\.\w{2,4}$/.test(text));
    const captured = unknown([{ type: "capture", what }]);
    if (file === undefined) return captured;
    shell.writeFile(known(file), captured, { append: false });
    return EMPTY;
  };

const clipboard: Program = ({ texts }) =>
  texts.some((text) => /^-(?:o|out)/.test(text)) || texts.length === 0
    ? unknown([{ type: "capture", what: "clipboard" }])
    : UNKNOWN;

const passwordStore: Program = ({ program, texts }) =>
  /^(?:show|get|read|item|list|export|ls|lookup|-c|unlock)?$/.test(texts[0] ?? "") ||
  program === "secret-tool"
    ? unknown([{ type: "secret", secret: "password-store", name: `${program} ${texts[0] ?? ""}`.trim() }])
    : UNKNOWN;

const kubectl: Program = ({ texts }, shell) => {
  const joined = texts.slice(0, 8).join(" ");
  if (/^delete (?:ns|namespace|all|--all|pvc|deployment[s]? --all)/.test(joined))
    shell.act({ type: "destroy", what: "cloud", detail: `kubectl ${joined}` });
  return /^(?:get secrets?|config view --raw|create token)/.test(joined)
    ? unknown([{ type: "secret", secret: "kubernetes", name: `kubectl ${joined}`.slice(0, 80) }])
    : UNKNOWN;
};

/** Programs that tell about the machine or its people. */
export const OBSERVERS: readonly (readonly [string, Program])[] = [
  ...[
    "whoami",
    "hostname",
    "uname",
    "id",
    "ifconfig",
    "ip",
    "ipconfig",
    "systeminfo",
    "sw_vers",
    "ps",
    "w",
    "who",
    "last",
    "netstat",
    "arp",
    "lsof",
    "dscl",
    "system_profiler",
    "lscpu",
    "ioreg",
    "wmic",
    "tasklist",
  ].map((name) => [name, tells({ type: "system" })] as const),
  ["pbpaste", tells({ type: "capture", what: "clipboard" })],
  ["wl-paste", tells({ type: "capture", what: "clipboard" })],
  ["get-clipboard", tells({ type: "capture", what: "clipboard" })],
  ["xclip", clipboard],
  ["xsel", clipboard],
  ...["screencapture", "scrot", "gnome-screenshot", "grim", "maim"].map(
    (name) => [name, captures("screen")] as const,
  ),
  ["imagesnap", captures("camera")],
  ["fswebcam", captures("camera")],
  ["arecord", captures("microphone")],
  ["rec", captures("microphone")],
  ["xinput", tells({ type: "capture", what: "keys" })],
  ["logkeys", tells({ type: "capture", what: "keys" })],
  ...["pass", "op", "bw", "secret-tool", "keyring", "lpass", "gopass"].map(
    (name) => [name, passwordStore] as const,
  ),
  ["kubectl", kubectl],
];
