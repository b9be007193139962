import type {
  SandboxReport,
  ScriptCall,
  ScriptGrants,
  ScriptOutcome,
  ScriptRefusal,
  ScriptToRun,
} from "@skillet/core";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import { createRedactor } from "./output/create-redactor.ts";
import { MIN_SECRET_BYTES } from "./output/secret-forms.ts";
import { watchOutput } from "./output/watch-output.ts";
import type { RunnerSettings } from "./runner-options.ts";
import type { ChosenInterpreter } from "./runtime/choose-runtime.ts";
import type { Sandbox, SandboxJob } from "./sandbox/sandbox.ts";
import { type StagedTree, withStagedSkill } from "./stage/stage-skill.ts";
import type { Turns } from "./turns.ts";

/** Everything that is settled before a script is called. */
interface PreparedRun {
  readonly settings: RunnerSettings;
  readonly slots: Turns<undefined>;
  readonly sandbox: Sandbox;
  readonly report: SandboxReport;
  readonly script: ScriptToRun;
  readonly tree: StagedTree;
  readonly chosen: ChosenInterpreter;
  readonly diagnostics: readonly Diagnostic[];
}

/** Runs a prepared script once there is room for it; its deadline counts from then. */
export async function runPrepared(
  given: ScriptCall,
  run: PreparedRun,
): Promise<ScriptOutcome | ScriptRefusal> {
  const { settings, script } = run;
  // A copy: what is checked now is used after a wait.
  const call = { ...given, secrets: { ...given.secrets } };
  const { runtime, onlyIn } = run.chosen.candidate;
  // Files that such a program finds in a workspace are not verified, and would get the skill's secrets.
  if (onlyIn !== undefined && call.cwd !== onlyIn)
    return refuse(
      "unsupported_runtime",
      `${script.path} is not run in the workspace: ${runtime} runs what it finds in its working directory. Start it in the skill's folder (cwd "skill"), or write it for another interpreter.`,
    );
  const fault = secretsFault(call.secrets);
  if (fault !== undefined) return refuse("permission_denied", fault);
  const release = await run.slots.take(undefined, call.signal);
  if (release === "full")
    return refuse("too_many_runs", "Too many scripts run or wait already; try again when some have ended.");
  if (release === "cancelled") return neverStarted(call, run);
  try {
    const done = await withStagedSkill(run.tree, settings.clock, () => start(call, run));
    if (done !== "changed") return done;
    return refuse(
      "script_snapshot_mismatch",
      "The staged copy of the skill was changed or removed before the script started; run it again to stage it anew.",
    );
  } finally {
    release();
  }
}

async function start(call: ScriptCall, run: PreparedRun): Promise<ScriptOutcome | ScriptRefusal> {
  const { settings } = run;
  const watch = watchOutput({
    redactor: createRedactor(call.secrets),
    maxBytes: settings.limits.outputBytes,
    onOutput: call.onOutput,
  });
  try {
    const outcome = await run.sandbox.run(jobOf(call, run, watch.listener));
    const { status, exitCode, signal, sandbox, durationMs, argv, cwd, limit } = outcome;
    return {
      status,
      ...(exitCode !== undefined && { exitCode }),
      ...(signal !== undefined && { signal }),
      // In place of what the sandbox kept, which has the secrets in it; nothing else of the outcome is passed on.
      ...watch.finish(),
      sandbox,
      durationMs,
      argv,
      cwd,
      grants: grantsOf(settings),
      ...(limit !== undefined && { limit }),
      diagnostics: [...run.diagnostics, ...shortSecrets(call, run.script), ...(outcome.diagnostics ?? [])],
    };
  } catch (error) {
    const refusal = SkilletError.isInstance(error) ? REFUSALS.get(error.code) : undefined;
    if (refusal === undefined) throw error;
    return refuse(refusal, (error as SkilletError).message);
  }
}

// Errors that a sandbox throws before anything ran.
const REFUSALS: ReadonlyMap<string, ScriptRefusal["code"]> = new Map([
  ["sandbox-unavailable", "sandbox_unavailable"],
  ["sandbox-folder-refused", "permission_denied"],
  ["sandbox-argument-invalid", "permission_denied"],
]);

function jobOf(call: ScriptCall, run: PreparedRun, onOutput: SandboxJob["onOutput"]): SandboxJob {
  const { settings, script, tree, chosen } = run;
  const { flags, separator } = chosen.candidate;
  const timeoutMs = Math.max(1, Math.min(call.timeoutMs, settings.maxTimeoutMs));
  return {
    skill: tree.skill,
    interpreter: chosen.interpreter,
    flags,
    script: script.path,
    args: separator === undefined ? call.args : [separator, ...call.args],
    cwd: call.cwd,
    writable: settings.writable,
    protect: call.protect,
    home: settings.home,
    network: settings.network,
    environment: Object.assign(Object.create(null), call.secrets, {
      SKILL_NAME: script.skill.name,
      SKILL_SCRIPT: script.path,
      SKILLET_RUN_ID: call.runId,
    }),
    limits: { ...settings.limits, timeoutMs },
    ...(call.workspace !== undefined && { workspace: call.workspace }),
    ...(call.stdin && { stdin: call.stdin }),
    ...(call.signal && { signal: call.signal }),
    ...(onOutput && { onOutput }),
  };
}

function grantsOf({ network, writable }: RunnerSettings): ScriptGrants {
  const hosts = network.map(({ host, port }) => (port === undefined ? host : `${host}:${port}`));
  return { network: hosts, writable };
}

function neverStarted(call: ScriptCall, run: PreparedRun): ScriptOutcome {
  return {
    status: "cancelled",
    stdout: "",
    stderr: "",
    truncated: { stdout: false, stderr: false },
    sandbox: run.report,
    durationMs: 0,
    argv: [],
    cwd: call.workspace ?? "",
    grants: grantsOf(run.settings),
    diagnostics: run.diagnostics,
  };
}

function shortSecrets(call: ScriptCall, script: ScriptToRun): Diagnostic[] {
  return Object.entries(call.secrets)
    .filter(([, value]) => Buffer.byteLength(value.trim()) < MIN_SECRET_BYTES)
    .map(([name]) => ({
      code: "secret-too-short",
      severity: "warning",
      message: `The value of ${name} has fewer than ${MIN_SECRET_BYTES} bytes, so it was not redacted from the output.`,
      file: script.path,
      hint: "Grant a longer value, or do not declare it as a secret.",
    }));
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const MAX_SECRETS = 64;
const MAX_SECRET_BYTES = 16 * 1024;
const MAX_ALL_SECRETS_BYTES = 64 * 1024;

// Variables that change how programs start, what they load or whom they trust. A secret by such a name would be a way to
// run something unchecked.
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

/** Why these secrets cannot be variables of a script; undefined when they can. */
function secretsFault(given: Readonly<Record<string, string>>): string | undefined {
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
  // Proxies are read in small letters as well.
  const upper = name.toUpperCase();
  if (NEVER.test(upper) || STARTING.has(upper)) return true;
  return FAMILIES.test(upper) && !CREDENTIAL.test(upper);
}

export function refuse(code: ScriptRefusal["code"], message: string): ScriptRefusal {
  return { status: "refused", code, message };
}
