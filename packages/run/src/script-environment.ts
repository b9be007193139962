import type { ScriptCall } from "@skillet/core";

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const MAX_SECRETS = 64;
const MAX_SECRET_BYTES = 16 * 1024;
const MAX_ALL_SECRETS_BYTES = 64 * 1024;

// What changes how programs start, what they load or whom they trust. A secret by such a name would be a way to run
// something that nobody checked.
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
// Families of which single members are credentials, such as NODE_AUTH_TOKEN.
const FAMILIES =
  /^(?:NODE_|NPM_|PYTHON|PIP_|UV_|PERL|RUBY|GEM_|BUNDLE_|LUA_|R_|DENO_|BUN_|GIT_|SSH_|CARGO_|RUST)/;
const CREDENTIAL = /_(?:TOKEN|KEY|SECRET|PASSWORD|PASS|PAT)$/;

/** The variables that a run brings along, or why a secret cannot be one of them. */
export function scriptEnvironment(
  call: Pick<ScriptCall, "secrets" | "runId">,
  script: { readonly skill: string; readonly path: string },
): { readonly variables: Readonly<Record<string, string>> } | { readonly refused: string } {
  const secrets = Object.entries(call.secrets);
  const refused = secrets.map(([name, value]) => faultOf(name, value)).find((fault) => fault !== undefined);
  if (refused !== undefined) return { refused };
  const bytes = secrets.reduce((sum, [, value]) => sum + Buffer.byteLength(value), 0);
  if (secrets.length > MAX_SECRETS || bytes > MAX_ALL_SECRETS_BYTES)
    return {
      refused: `The skill was granted more than ${MAX_SECRETS} secrets or ${MAX_ALL_SECRETS_BYTES} bytes of them; grant fewer.`,
    };
  const environment: Record<string, string> = Object.create(null);
  for (const [name, value] of secrets) environment[name] = value;
  environment.SKILL_NAME = script.skill;
  environment.SKILL_SCRIPT = script.path;
  environment.SKILLET_RUN_ID = call.runId;
  return { variables: environment };
}

function faultOf(name: string, value: string): string | undefined {
  const shown = JSON.stringify(name.slice(0, 80));
  if (!NAME.test(name))
    return `The secret ${shown} has no name that an environment can hold; rename it in the skill.`;
  if (changesPrograms(name))
    return `The secret ${shown} would change how programs start, so the script was not run; rename it in the skill.`;
  if (value.includes("\0"))
    return `The secret ${shown} holds a NUL, which no environment can; grant another value.`;
  if (Buffer.byteLength(value) > MAX_SECRET_BYTES)
    return `The secret ${shown} has more than ${MAX_SECRET_BYTES} bytes; pass it as a file instead.`;
  return undefined;
}

function changesPrograms(name: string): boolean {
  // Proxies are read in small letters as well.
  const upper = name.toUpperCase();
  if (NEVER.test(upper) || STARTING.has(upper)) return true;
  return FAMILIES.test(upper) && !CREDENTIAL.test(upper);
}
