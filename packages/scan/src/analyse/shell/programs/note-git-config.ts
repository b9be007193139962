import { hostOf } from "../../../host/classify-host.ts";
import type { Shell } from "../shell-call.ts";
import { known } from "../value.ts";

/** Records a setting of git that makes git start a command: from then on at every fetch, commit or status. */
export function noteGitConfig(texts: readonly string[], shell: Shell): void {
  if (texts.some((text) => /^--(?:get|unset|list|remove)/.test(text))) return;
  const at = texts.findIndex((text) => COMMAND_KEY.test(text));
  const key = texts[at]?.toLowerCase();
  const value = texts[at + 1];
  if (key === undefined || value === undefined) return;
  const command = value.replace(/^!/, "");
  // `ssh -i key`, `delta`, `store`, `!gh auth git-credential`: a program with its options is what the settings are for.
  if (key !== "core.hookspath" && !REACHES_OUT.test(command)) return;
  shell.act({ type: "persist", where: "git-hook", path: texts[at] ?? key, text: command });
  if (key === "core.hookspath") return;
  shell.runText(known(command), `git ${texts[at]}`);
  if (key === "credential.helper") noteCredentials(command, shell);
}

// Git hands a helper every password that it is given.
function noteCredentials(command: string, shell: Shell): void {
  const url = /\bhttps?:\/\/[^\s"'`;|)]{3,300}/i.exec(command)?.[0];
  if (url === undefined) return;
  shell.flow([{ type: "secret", secret: "git", name: "git credential.helper" }], {
    type: "network",
    how: "http",
    url,
    host: hostOf(url) ?? "*",
  });
}

const COMMAND_KEY =
  /^(?:alias\.[\w-]{1,60}|core\.(?:sshcommand|hookspath|fsmonitor|pager|editor|gitproxy|askpass)|credential\.(?:\S{1,200}\.)?helper|diff\.external|sequence\.editor|gpg\.program|filter\.[\w-]{1,60}\.(?:clean|smudge|process))$/i;

const REACHES_OUT =
  /\b(?:curl|wget|nc|ncat|socat|base64|eval)\b|\/dev\/tcp\/|\b(?:ba|z|da)?sh\s{1,5}(?:-c|[~/.$])|\|\s{0,5}(?:ba|z|da)?sh\b|^(?:\/tmp\/|~\/\.cache\/|\$TMPDIR)/;
