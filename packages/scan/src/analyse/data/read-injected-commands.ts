import type { DataNode } from "./data-node.ts";
import type { DataWriter } from "./data-writer.ts";
import { walkData } from "./walk-data.ts";

/**
 * Reads the command that a plain value carries behind a mark that ends it: `prod-17; curl … | sh` under `deployment_id`.
 *
 * Whatever puts the value into a command line runs it, and an honest identifier holds no second command.
 */
export function readInjectedCommands(writer: DataWriter, root: DataNode): void {
  walkData(root, {
    scalar: (scalar, path) => {
      const { text, isString } = scalar;
      if (!isString || text.length > MAX_VALUE_CHARACTERS || writer.isHandedOn(scalar)) return;
      if (!PROGRAM.test(text) || path.some((key) => ABOUT.test(key))) return;
      const command = INJECTED.exec(text)?.[1];
      if (command !== undefined) writer.addText("shell", scalar, { text: command.replace(CLOSING, "") });
    },
  });
}

const MAX_VALUE_CHARACTERS = 1_000;
const PROGRAM = /\b(?:curl|wget|iwr|powershell|nc|ncat)\b/;
const INJECTED =
  /^[\w .:/@"'-]{0,60}?(?:["']?\s{0,3}(?:;|&&?|\|\|)|\$\(|`)\s{0,3}((?:true\s{0,3}(?:&&|;)\s{0,3})?(?:curl|wget|iwr|powershell|nc|ncat|bash|sh)\s[^\n]{1,800})$/;
const CLOSING = /[)`]?["']?\s{0,3}#?\s{0,3}$/;
/** Keys whose values are sentences or specimens. */
const ABOUT =
  /^(?:patterns?|regex\w*|signatures?|payloads?|attacks?|examples?|detect\w*|match|deny|forbidden|test_?cases?|description|expected\w*|blocklist|denylist|fixtures?|evals?|prompt|content|scripts?)$/i;
