import type { SandboxReport, ScriptOutcome } from "@skillet/core";
import { onceUntilSuccess } from "@skillet/kit/async";
import { SkilletError } from "@skillet/kit/errors";
import { identifyProcess, isInside, isProcessGone } from "@skillet/kit/files";
import { parseJson } from "@skillet/kit/json";
import { array, flag, object, optional, readDocument, record, text, wholeNumber } from "@skillet/kit/schema";
import { DEFAULT_RUN_LIMITS } from "../../run-limits.ts";
import type { Interpreter } from "../../runtime/choose-runtime.ts";
import { inFolderTurn } from "../../turns.ts";
import { planMounts } from "../bubblewrap/plan-mounts.ts";
import { watchObeyedPaths } from "../folder-refusal.ts";
import { outcomeOf } from "../local-sandbox.ts";
import { askInShell, failedProbe, judgeAnswers } from "../probe-sandbox.ts";
import { type Sandbox, type SandboxJob, SKILL_PLACE } from "../sandbox.ts";
import { askEngine, type Engine, findEngine, readEngine, unavailable } from "./engine.ts";
import { CONTAINER_NAME, type ContainerPlan, PROCESS_LABEL, runContainer } from "./run-container.ts";

/** Which engine runs scripts, and in which image. */
export interface DockerOptions {
  /** Preferably by digest: `python@sha256:…`. Never pulled; it needs a shell besides the interpreters. */
  readonly image: string;
  /** `unix:///path` of a local engine; default: `DOCKER_HOST`, else the first socket of Docker or Podman. */
  readonly host?: string;
}

// No part begins with a dash or a dot: the name is put into a URL, and into a command that a message
// proposes.
const IMAGE = /^(?=.{1,512}$)[A-Za-z0-9][\w.-]*(?:[:/@][A-Za-z0-9][\w.-]*)*$/;

const DIGEST = /(?:^|@)sha256:[0-9a-f]{64}$/;

/**
 * Runs scripts in containers of Docker, or of Podman by the same API, from an image that you name: without a
 * network, with nothing writable except what is granted, and within all limits. Network grants are refused.
 * Tested against a scripted engine, not a real one, so rely on its probe.
 *
 * @example
 * createRunner({ sandbox: docker({ image: "python@sha256:…" }), allow: ["pdf-forms:scripts/fill.py"] });
 */
export function docker({ image, host }: DockerOptions): Sandbox {
  if (!IMAGE.test(image))
    throw new SkilletError("invalid-docker-option", "Name an image for scripts, such as python@sha256:….");
  const found = findEngine(host);
  const place = onceUntilSuccess(() => connectTo(found, image));
  const survey = onceUntilSuccess(async () => surveyImage(await place()));
  return {
    name: "docker",
    probe: () => survey().then(({ report }) => ({ ok: true, report }), failedProbe),
    findInterpreter: async (name, distrusted = []) => {
      const found = (await survey()).interpreters.get(name);
      // A folder mounted there hides the image's own program, and may contain another one of the same name.
      return found && distrusted.some((folder) => isInside(found.path, folder)) ? undefined : found;
    },
    run: async (job) => runJob(job, await place(), (await survey()).report),
  };
}

// From this version on, everything used here is documented.
const OLDEST_VERSION = 41;
const ONE_PROCESSOR = 1e9;
const INFO = object({ CpuCfsQuota: optional(flag) });
const IMAGE_FACTS = object({ Id: text });
const CONTAINERS = array(object({ Id: text, Names: array(text), Labels: record(text) }));
const OWNER = object({ pid: wholeNumber(1), host: text });

type Place = Pick<ContainerPlan, "engine" | "image" | "hostConfig"> & { readonly named: string };

async function connectTo(found: Engine, named: string): Promise<Place> {
  const { headers } = await askEngine(found, "GET /_ping");
  const [, version = "", minor] = /^(1\.(\d{1,3}))$/.exec(String(headers["api-version"])) ?? [];
  if (!(Number(minor) >= OLDEST_VERSION))
    throw unavailable(found, `it does not speak version 1.${OLDEST_VERSION} of Docker's API; update it`);
  const engine = { ...found, version: `/v${version}` };
  await removeLeftovers(engine);
  // By id from here on: a tag can move to an image other than the one surveyed.
  const { Id: image } = await readEngine(engine, `GET /images/${named}/json`, IMAGE_FACTS).catch(
    (error: unknown) => {
      if (!SkilletError.isInstance(error) || error.data.status !== 404) throw error;
      const missing = `it does not have the image ${named}, and images are not pulled automatically`;
      throw unavailable(engine, missing, { fix: `docker pull ${named}` });
    },
  );
  const { CpuCfsQuota } = await readEngine(engine, "GET /info", INFO);
  // Rootless Podman can give the caller the same user number inside.
  const keepsUser = headers["libpod-api-version"] !== undefined && process.getuid?.() !== 0;
  const cpu = CpuCfsQuota === true && { NanoCpus: ONE_PROCESSOR };
  return { engine, image, named, hostConfig: { ...cpu, ...(keepsUser && { UsernsMode: "keep-id" }) } };
}

/** Removes containers left by processes of this machine that ended without removing them. */
async function removeLeftovers(engine: Engine): Promise<void> {
  const filters = encodeURIComponent(JSON.stringify({ label: [PROCESS_LABEL] }));
  const labelled = await readEngine(engine, `GET /containers/json?all=1&filters=${filters}`, CONTAINERS);
  for (const { Id, Names, Labels } of labelled) {
    const { value: owner } = readDocument(OWNER, parseJson(Labels[PROCESS_LABEL]));
    // Containers get their image's labels too, which anyone may have chosen; an image cannot choose names.
    const isOurs = Names.some((name) => CONTAINER_NAME.test(name));
    if (!isOurs || owner === undefined || !isProcessGone(owner, identifyProcess())) continue;
    // Another process may be removing it right now.
    const allowed = [404, 409];
    await askEngine(engine, `DELETE /containers/${encodeURIComponent(Id)}?force=1&v=1`, { allowed });
  }
}

// Whether a host could be reached, which limits apply, and which programs the image contains.
const SURVEY_SCRIPT = `
routes=$(grep -hv -e ^Iface -e '[[:space:]]lo$' /proc/net/route /proc/net/ipv6_route)
grep -q ^Iface /proc/net/route && [ -z "$routes" ] && echo "connection none"
echo "memory $(cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes)"
echo "pids $(cat /sys/fs/cgroup/pids.max /sys/fs/cgroup/pids/pids.max)"
echo "version $(node --version)"
IFS=:
for folder in $PATH; do for file in "$folder"/*; do [ -f "$file" ] && [ -x "$file" ] && echo "program-\${file##*/} $file"; done; done
`;

/** Proves in a container that it holds scripts in, and lists the programs in the image. */
async function surveyImage(place: Place) {
  const { engine, named } = place;
  const sandbox = { run: (job: SandboxJob) => runJob(job, place) };
  const { answers } = await askInShell(sandbox, `image ${named}`, { text: SURVEY_SCRIPT });
  const failures = judgeAnswers(answers, ["skill", "system", "connection"], "linux");
  if (!(Number(answers.get("Uid")) > 0)) failures.push("the script runs as root");
  if (failures.length > 0) throw unavailable(engine, `its containers do not hold: ${failures.join("; ")}`);
  const version = /^v(\d{1,4}\.\d{1,4}\.\d{1,4})$/.exec(answers.get("version") ?? "")?.[1];
  const interpreters = new Map<string, Interpreter>();
  for (const [answer, path] of answers) {
    const [, name] = (path.startsWith("/") && /^program-(.+)/.exec(answer)) || [];
    const known = name === "node" && version !== undefined && { version };
    if (name !== undefined) interpreters.set(name, { name, path, ...known });
  }
  const isLimited = (name: string, most: number): boolean => Number(answers.get(name) || "NaN") <= most;
  const memory = isLimited("memory", DEFAULT_RUN_LIMITS.memoryBytes);
  const weaknesses = [
    !DIGEST.test(named) && "The image's tag can move to another image; name the image by digest.",
    answers.get("Seccomp") !== "2" && "The engine does not filter system calls.",
    !memory && "The engine does not limit memory.",
    !isLimited("pids", DEFAULT_RUN_LIMITS.processes) && "The engine does not limit the number of processes.",
  ].filter((weakness) => weakness !== false);
  return { interpreters, report: reportOf(named, weaknesses, memory) };
}

async function runJob(job: SandboxJob, place: Place, known?: SandboxReport): Promise<ScriptOutcome> {
  if (job.network.length > 0)
    throw unavailable(place.engine, "containers cannot be held to the granted hosts; use bubblewrap");
  return inFolderTurn(job, async (given) => {
    const planned = await planMounts(job, []);
    const mounts = planned.mounts.filter(({ path }) => path !== SKILL_PLACE);
    const obeyed = await watchObeyedPaths(job.writable);
    const ended = await runContainer({ ...place, job, mounts });
    const secrets = Object.keys(job.environment).filter((name) => !/^SKILL(?:ET)?_/.test(name));
    const weaknesses = [
      ...(known?.weaknesses ?? []),
      ...planned.weaknesses,
      ...(secrets.length > 0 ? ["Everyone who may use the engine can read its secrets while it runs."] : []),
      ...(given.length > 0 ? ["Local sockets in the folders it was given can be reached."] : []),
      ...ended.weaknesses,
    ];
    const report = reportOf(place.named, weaknesses, known?.memoryLimit === "tree");
    return outcomeOf(ended, report, await obeyed.created(job.script));
  });
}

function reportOf(place: string, weaknesses: string[], isLimited: boolean): SandboxReport {
  const strength = weaknesses.length === 0 ? "full" : "reduced";
  return { backend: "docker", place, strength, weaknesses, memoryLimit: isLimited ? "tree" : "none" };
}
