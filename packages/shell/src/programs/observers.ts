import type { Program } from "../model/call.ts";
import { named } from "../model/call.ts";
import type { Source } from "../model/effect.ts";
import { EMPTY, known, UNKNOWN, unknown } from "../model/value.ts";

const tells =
  (source: Source): Program =>
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

/** Programs that tell about the machine or its people. */
export const OBSERVERS: readonly (readonly [string, Program])[] = [
  ...named(
    "whoami hostname uname id ifconfig ip ipconfig systeminfo sw_vers ps w who last netstat arp lsof dscl system_profiler lscpu ioreg wmic tasklist",
    tells({ type: "system" }),
  ),
  ["pbpaste", tells({ type: "capture", what: "clipboard" })],
  ["wl-paste", tells({ type: "capture", what: "clipboard" })],
  ["get-clipboard", tells({ type: "capture", what: "clipboard" })],
  ["xclip", clipboard],
  ["xsel", clipboard],
  ...named("screencapture scrot gnome-screenshot grim maim", captures("screen")),
  ["imagesnap", captures("camera")],
  ["fswebcam", captures("camera")],
  ["arecord", captures("microphone")],
  ["rec", captures("microphone")],
  ["xinput", tells({ type: "capture", what: "keys" })],
  ["logkeys", tells({ type: "capture", what: "keys" })],
  ...named("pass op bw secret-tool keyring lpass gopass", passwordStore),
];
