import type { Program } from "../shell-call.ts";
import { UNKNOWN } from "../value.ts";
import { runElsewhere, shellArgument } from "./run-elsewhere.ts";

const docker: Program = ({ program, words, texts }, shell) => {
  const joined = texts.join(" ").slice(0, MAX_JOINED_CHARACTERS);
  const detail = `${program} ${joined}`.slice(0, 200);
  const isPrivileged = texts.includes("--privileged") || /--cap-add[= ](?:ALL|SYS_ADMIN)/.test(joined);
  const hasSocket = /docker\.sock/.test(joined);
  const hasHost = ROOT_MOUNT.test(joined) || /--pid[= ]host/.test(joined);
  if ((hasHost && ACTS_ON_HOST.test(joined)) || (isPrivileged && SECRET_MOUNT.test(joined)))
    shell.act({ type: "privilege", how: "container-escape", detail });
  else {
    if (isPrivileged) shell.act({ type: "privilege", how: "privileged-container", detail });
    if (hasSocket) shell.act({ type: "privilege", how: "docker-socket", detail });
    if (hasHost || SYSTEM_MOUNT.test(joined)) shell.act({ type: "privilege", how: "host-mount", detail });
  }
  if (/^system prune\b.*--volumes|^volume rm\b/.test(joined))
    shell.act({ type: "destroy", what: "files", detail });
  const inner = shellArgument(words);
  if (inner !== undefined) runElsewhere([inner], program, shell);
  return UNKNOWN;
};

const MAX_JOINED_CHARACTERS = 16 * 1024;
const ROOT_MOUNT = /(?:-v|--volume)[= ]\/:\/|(?:source|src)=\/(?:,|\s|$)/;
const SYSTEM_MOUNT = /(?:-v|--volume)[= ]\/(?:etc|root):/;
// Into the machine's own file tree or processes, or to the files that decide who may log in.
const ACTS_ON_HOST =
  /\b(?:chroot|nsenter)\b|\/etc\/(?:shadow|sudoers|passwd|crontab|cron\.\w{1,20})\b|authorized_keys/;
const SECRET_MOUNT =
  /(?:(?:-v|--volume)[= ]|(?:source|src)=)(?:\/etc\/(?:shadow|sudoers)|(?:\/root|~|\/home\/[\w.-]{1,40})\/\.(?:ssh|aws|gnupg|kube))\b/;

const kubectl: Program = ({ program, words, texts }, shell) => {
  const inner = shellArgument(words);
  if (inner !== undefined) runElsewhere([inner], program, shell);
  if (
    /^delete\b[^|]{0,100}--all\b|^delete (?:ns|namespaces?|pvc?)\b/.test(
      texts.slice(0, 8).join(" ").slice(0, 300),
    )
  )
    shell.act({
      type: "destroy",
      what: "cloud",
      detail: `${program} ${texts.join(" ").slice(0, 180)}`,
    });
  return UNKNOWN;
};

/** Programs that start others in containers. */
export const CONTAINER_TOOLS: readonly (readonly [string, Program])[] = [
  ...["docker", "podman", "nerdctl"].map((name) => [name, docker] as const),
  ...["kubectl", "oc", "k3s", "lxc", "incus"].map((name) => [name, kubectl] as const),
];
