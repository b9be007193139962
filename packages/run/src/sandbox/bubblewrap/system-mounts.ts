import { lstat, readlink } from "node:fs/promises";

/** A part of the system that every script sees, read-only. */
export type SystemMount =
  | { readonly kind: "bind"; readonly path: string }
  | { readonly kind: "link"; readonly path: string; readonly target: string }
  /** Nothing is seen of it but what is given below it. */
  | { readonly kind: "empty"; readonly path: string };

export const PROGRAMS: readonly string[] = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];

/** Images for containers keep whole applications there, with their settings. */
export const APPLICATIONS: readonly string[] = ["/usr/src", "/usr/local/src"];

// Public by nature and the same on every installation; never keys (/etc/ssl/private), accounts or names of hosts.
export const SETTINGS: readonly string[] = [
  "/etc/alternatives",
  "/etc/ld.so.cache",
  "/etc/os-release",
  "/etc/localtime",
  "/etc/mime.types",
  "/etc/services",
  "/etc/protocols",
  "/etc/fonts",
  "/etc/ssl/certs",
  "/etc/ssl/cert.pem",
  "/etc/ssl/openssl.cnf",
  "/etc/ca-certificates",
  "/etc/ca-certificates.conf",
  "/etc/pki/tls/certs",
  "/etc/pki/tls/cert.pem",
  "/etc/pki/ca-trust/extracted",
  "/etc/crypto-policies",
];

// Files of the kernel that the owner root may read without any capability; a script may have root's number.
export const KERNEL_SECRETS: readonly string[] = [
  ...["kcore", "keys", "key-users", "kallsyms", "kpagecount", "kpageflags", "kpagecgroup", "slabinfo"],
  ...["timer_list", "sched_debug", "vmallocinfo", "latency_stats", "sysrq-trigger", "config.gz"],
].map((name) => `/proc/${name}`);

/** What /proc has here that no script has to see. */
export async function kernelSecrets(): Promise<string[]> {
  const kinds = await Promise.all(KERNEL_SECRETS.map(kindOf));
  return KERNEL_SECRETS.filter((_, index) => kinds[index] === "bind");
}

/** The system's programs, libraries and public settings, as this machine has them. */
export async function systemMounts(): Promise<SystemMount[]> {
  const mounts: SystemMount[] = [{ kind: "bind", path: "/usr" }];
  for (const path of APPLICATIONS) if ((await kindOf(path)) === "bind") mounts.push({ kind: "empty", path });
  for (const path of PROGRAMS) {
    const kind = await kindOf(path);
    if (kind === "link") mounts.push({ kind, path, target: await readlink(path) });
    else if (kind === "bind") mounts.push({ kind, path });
  }
  for (const path of SETTINGS) if ((await kindOf(path)) !== undefined) mounts.push({ kind: "bind", path });
  return mounts;
}

async function kindOf(path: string): Promise<"bind" | "link" | undefined> {
  try {
    return (await lstat(path)).isSymbolicLink() ? "link" : "bind";
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR"))
      return undefined;
    throw error;
  }
}
