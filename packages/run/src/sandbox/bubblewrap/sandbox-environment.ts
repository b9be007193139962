import { dirname } from "node:path";
import { SkilletError } from "@skillet/kit/errors";
import { proxyEnvironment } from "../../network/bridge-arguments.ts";
import { HOME_PLACE, type SandboxJob, SKILL_PLACE } from "../sandbox.ts";

const SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin";
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
// They make a shell or the loader run something first, before the limits are set and the mounts are checked.
const RUNS_CODE =
  /^(?:LD_.*|GCONV_PATH|GLIBC_TUNABLES|BASH_ENV|ENV|SHELLOPTS|BASHOPTS|PS4|NODE_OPTIONS|BASH_FUNC_.*)$/;

// In here a project of root's belongs to somebody else, and git would refuse to read it. What a repository makes git do
// stays in the sandbox.
const GIT_SETTINGS: readonly (readonly [string, string])[] = [
  ["GIT_CONFIG_COUNT", "1"],
  ["GIT_CONFIG_KEY_0", "safe.directory"],
  ["GIT_CONFIG_VALUE_0", "*"],
];

/** Every variable that a script gets, and no other. */
export function sandboxEnvironment(job: SandboxJob): Map<string, string> {
  const { interpreter, environment } = job;
  for (const name of Object.keys(environment))
    if (!NAME.test(name) || RUNS_CODE.test(name))
      throw new SkilletError(
        "sandbox-argument-invalid",
        `A script cannot be given the variable ${JSON.stringify(name)}: it is no name, or it changes how programs start. Declare another.`,
        { data: { name } },
      );
  const isSystems = interpreter.home === undefined || interpreter.path.startsWith("/usr/");
  return new Map([
    ...Object.entries(environment),
    ...(job.network.length === 0 ? [] : Object.entries(proxyEnvironment())),
    ["PATH", isSystems ? SYSTEM_PATH : `${dirname(interpreter.path)}:${SYSTEM_PATH}`],
    ["HOME", HOME_PLACE],
    ["TMPDIR", "/tmp"],
    ["LANG", "C.UTF-8"],
    ["SKILL_DIR", SKILL_PLACE],
    ...GIT_SETTINGS,
  ]);
}
