/** One controller of control groups, as this process stands under it. */
export interface ControlGroup {
  readonly version: 1 | 2;
  /** Where the hierarchy is mounted. */
  readonly mount: string;
  /** The folder of the group that this process is in. */
  readonly folder: string;
}

export type Controller = "memory" | "pids";

/** Finds a controller's group of this process, from the texts of /proc/self/cgroup and /proc/self/mountinfo. */
export function findControlGroup(
  controller: Controller,
  texts: { readonly cgroup: string; readonly mountinfo: string },
): ControlGroup | undefined {
  const memberships = parseMemberships(texts.cgroup);
  const mounts = parseMounts(texts.mountinfo);
  const first = memberships.find(({ controllers }) => controllers.includes(controller));
  const membership = first ?? memberships.find(({ hierarchy }) => hierarchy === "0");
  if (membership === undefined) return undefined;
  const version = first === undefined ? 2 : 1;
  const mount = mounts.find(({ type, options }) =>
    version === 2 ? type === "cgroup2" : type === "cgroup" && options.includes(controller),
  );
  const folder = mount && folderInMount(mount, membership.path);
  return mount && folder !== undefined ? { version, mount: mount.point, folder } : undefined;
}

interface Membership {
  readonly hierarchy: string;
  readonly controllers: readonly string[];
  readonly path: string;
}

function parseMemberships(text: string): Membership[] {
  return text.split("\n").flatMap((line) => {
    const [, hierarchy = "", controllers = "", path = ""] = /^(\d+):([^:]*):(\/.*)$/.exec(line) ?? [];
    return path === "" ? [] : [{ hierarchy, controllers: controllers.split(","), path }];
  });
}

interface GroupMount {
  readonly root: string;
  readonly point: string;
  readonly type: string;
  readonly options: readonly string[];
}

function parseMounts(text: string): GroupMount[] {
  return text.split("\n").flatMap((line) => {
    const [before = "", after = ""] = line.split(" - ");
    const [, , , root = "", point = ""] = before.split(" ").map(unescapeMount);
    const [type = "", , options = ""] = after.split(" ");
    return type.startsWith("cgroup") ? [{ root, point, type, options: options.split(",") }] : [];
  });
}

// The kernel writes spaces and the like as octal.
function unescapeMount(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

// In a container the mount shows part of the hierarchy; a group outside that part cannot be reached.
function folderInMount({ root, point }: GroupMount, path: string): string | undefined {
  if (path.split("/").includes("..")) return undefined;
  const inside = root === "/" ? path : path === root ? "/" : path.slice(root.length);
  if (root !== "/" && path !== root && !path.startsWith(`${root}/`)) return undefined;
  return inside === "/" ? point : `${point}${inside}`;
}
