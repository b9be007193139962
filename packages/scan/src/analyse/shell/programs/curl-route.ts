import { hasFlag, type Options, optionOf, optionsOf } from "../read-options.ts";
import type { Shell } from "../shell-call.ts";
import { known, type Value } from "../value.ts";

/**
 * Where a request really goes: `--resolve` and `--connect-to` send it elsewhere under the same name, and so does a proxy
 * whose certificate is not checked.
 */
export function routeOf(url: Value, options: Options): Value {
  const resolved = optionOf(options, "--resolve")?.text ?? "";
  const address = /^\+?[^:]{1,200}:(?:\d{1,5}|\*):(\[[^\]]{1,60}\]|[^,]{1,100})/.exec(resolved)?.[1];
  const target = address ?? connectTarget(optionOf(options, "--connect-to")?.text) ?? proxyOf(options);
  return target === undefined
    ? url
    : { ...url, text: url.text.replace(/^(\w+:\/\/)?[^/?#]*/, `$1${target}`) };
}

// `HOST1:PORT1:HOST2:PORT2`; each may be empty.
function connectTarget(text: string | undefined): string | undefined {
  const target = /^[^:]{0,200}:\d{0,5}:([^:]{1,200})(?::|$)/.exec(text ?? "")?.[1];
  return target === undefined || target === "" ? undefined : target;
}

function proxyOf(options: Options): string | undefined {
  const proxy = optionOf(options, "-x", "--proxy", "--preproxy", "--socks5", "--socks5-hostname");
  if (proxy === undefined || !hasFlag(options, "-k", "--insecure", "--proxy-insecure")) return undefined;
  return proxy.text.replace(/^\w+:\/\//, "").replace(/[/?#].*$/, "");
}

/** The words that a configuration file stands for: `url = "…"` is `--url …`. */
export function wordsOfConfig(options: Options, input: Value | undefined, shell: Shell): readonly Value[] {
  return optionsOf(options, "-K", "--config").flatMap((path) => {
    const content = path.text === "-" ? input : shell.readFile(path);
    if (content === undefined) return [];
    return content.text
      .slice(0, MAX_CONFIG_CHARACTERS)
      .split("\n")
      .flatMap((line) => {
        const match =
          /^\s{0,20}-{0,2}([a-z][a-z0-9-]{1,40})\s{0,5}[=:\s]\s{0,5}"?([^"\n]{1,2000})"?\s{0,20}$/i.exec(
            line,
          );
        if (match?.[1] === undefined || match[2] === undefined) return [];
        return [known(`--${match[1].toLowerCase()}`), known(match[2].trim(), content.sources)];
      });
  });
}

const MAX_CONFIG_CHARACTERS = 16 * 1024;
