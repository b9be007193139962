import { type Diagnostic, diagnostic } from "@skillet/kit/diagnostics";
import { MIN_SECRET_BYTES } from "./output/secret-forms.ts";

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const MAX_SECRETS = 64;
const MAX_SECRET_BYTES = 16 * 1024;
const MAX_ALL_SECRETS_BYTES = 64 * 1024;

// Variables that change how programs start, what they load or whom they trust. A secret with such a name
// would be a way to run unchecked code.
const NEVER = /^(?:LD_|DYLD_|BASH_FUNC_|SKILL_|SKILLET_|LC_|XDG_|GLIBC_|MALLOC_)/;
const STARTING = new Set(
  `PATH HOME TMPDIR TEMP TMP LANG LANGUAGE TERM SHELL USER LOGNAME PWD OLDPWD IFS ENV BASH_ENV SHELLOPTS BASHOPTS PS0 PS1
   PS2 PS4 PROMPT_COMMAND CDPATH GLOBIGNORE EXECIGNORE POSIXLY_CORRECT FPATH ZDOTDIR EDITOR VISUAL PAGER BROWSER TZ TZDIR
   GCONV_PATH LOCPATH NLSPATH HOSTALIASES LOCALDOMAIN RES_OPTIONS RESOLV_HOST_CONF GETCONF_DIR TERMCAP TERMINFO
   TERMINFO_DIRS OPENSSL_CONF OPENSSL_MODULES OPENSSL_ENGINES SSL_CERT_FILE SSL_CERT_DIR SSLKEYLOGFILE REQUESTS_CA_BUNDLE
   CURL_CA_BUNDLE CURL_HOME HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY FTP_PROXY JAVA_TOOL_OPTIONS _JAVA_OPTIONS
   JDK_JAVA_OPTIONS CLASSPATH MAKEFLAGS MAKEFILES AWKPATH AWKLIBPATH TCLLIBPATH PHPRC PHP_INI_SCAN_DIR GOFLAGS GOPATH GOROOT`.split(
    /\s+/,
  ),
);
// Prefixes under which only some variables are credentials, such as NODE_AUTH_TOKEN.
const FAMILIES =
  /^(?:NODE_|NPM_|PYTHON|PIP_|UV_|PERL|RUBY|GEM_|BUNDLE_|LUA_|R_|DENO_|BUN_|GIT_|SSH_|CARGO_|RUST)/;
const CREDENTIAL = /_(?:TOKEN|KEY|SECRET|PASSWORD|PASS|PAT)$/;

/** Why these secrets cannot be variables of a script; undefined if they can. */
export function secretsFault(given: Readonly<Record<string, string>>): string | undefined {
  const secrets = Object.entries(given);
  const bytes = secrets.reduce((sum, [, value]) => sum + Buffer.byteLength(value), 0);
  for (const [name, value] of secrets) {
    const fault = faultOf(name, value);
    if (fault !== undefined) return fault;
  }
  return secrets.length > MAX_SECRETS || bytes > MAX_ALL_SECRETS_BYTES
    ? `The skill was granted more than ${MAX_SECRETS} secrets or ${MAX_ALL_SECRETS_BYTES} bytes of them; grant fewer.`
    : undefined;
}

function faultOf(name: string, value: string): string | undefined {
  const shown = JSON.stringify(name.slice(0, 80));
  if (!NAME.test(name))
    return `The secret ${shown} is not a valid name for a variable; rename it in the skill.`;
  if (changesPrograms(name))
    return `The secret ${shown} would change how programs start, so the script was not run; rename it in the skill.`;
  if (value.includes("\0"))
    return `The secret ${shown} contains NUL, which a variable cannot; grant another value.`;
  if (Buffer.byteLength(value) > MAX_SECRET_BYTES)
    return `The secret ${shown} has more than ${MAX_SECRET_BYTES} bytes; pass it as a file instead.`;
  return undefined;
}

function changesPrograms(name: string): boolean {
  // Programs also read lower-case proxy variables.
  const upper = name.toUpperCase();
  if (NEVER.test(upper) || STARTING.has(upper)) return true;
  return FAMILIES.test(upper) && !CREDENTIAL.test(upper);
}

export function shortSecrets(secrets: Readonly<Record<string, string>>, script: string): Diagnostic[] {
  return Object.entries(secrets)
    .filter(([, value]) => Buffer.byteLength(value.trim()) < MIN_SECRET_BYTES)
    .map(([name]) => {
      const message = `The value of ${name} has fewer than ${MIN_SECRET_BYTES} bytes, so it was not redacted from the output.`;
      const hint = "Grant a longer value, or do not declare it as a secret.";
      return diagnostic("warning", "secret-too-short", script, message, hint);
    });
}
