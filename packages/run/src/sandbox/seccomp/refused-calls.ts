// The numbers of Linux, the same on both architectures.
const EPERM = 1;
/** The answer to a call that a kernel does not have. */
export const ENOSYS = 38;
const EPROTONOSUPPORT = 93;
const EAFNOSUPPORT = 97;

/** One look at an argument; the kernel takes all of these as 32 bits, so the upper half is never looked at. */
export interface ArgumentTest {
  readonly argument: number;
  /** Applied before the comparison; default: every bit. */
  readonly mask?: number;
  /** `bits`: any of the mask is set. */
  readonly is: "bits" | "in" | "not-in";
  readonly values?: readonly number[];
}

/** A call that is answered with an error when every test holds; without tests, always. */
export interface RefusedCall {
  readonly call: string;
  readonly errno: number;
  readonly when?: readonly ArgumentTest[];
}

const SETUID_OR_SETGID = 0o6000;
// Character and block devices share this bit; regular files, pipes and sockets lack it.
const DEVICE = 0o020000;
const CLONE_NEW_NAMESPACES = 0x7e020000;
const CREATES = 0o100 | 0o20000000;
const [AF_UNIX, AF_INET, AF_INET6] = [1, 2, 10];
const [STREAM, DATAGRAM, SEQUENCED] = [1, 2, 5];
const SOCKET_TYPE = 0xf;
const [ANY_PROTOCOL, TCP, UDP] = [0, 6, 17];
const [TIOCSTI, TIOCLINUX] = [0x5412, 0x541c];
const QUERY_PERSONALITY = 0xffffffff;

// Each of these reaches the kernel at large, another process, or a parser that only the privileged should feed.
const ALWAYS: readonly string[] = [
  ...["ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "process_mrelease", "kcmp"],
  ...["pidfd_getfd", "move_pages", "migrate_pages", "userfaultfd", "perf_event_open", "bpf"],
  ...["mount", "umount2", "pivot_root", "chroot", "open_tree", "move_mount", "mount_setattr", "fsopen"],
  ...["fsconfig", "fsmount", "fspick", "statmount", "listmount", "unshare", "setns"],
  ...["name_to_handle_at", "open_by_handle_at", "fanotify_init", "quotactl", "quotactl_fd"],
  ...["keyctl", "add_key", "request_key", "io_uring_setup", "io_uring_enter", "io_uring_register"],
  ...["init_module", "finit_module", "delete_module", "create_module", "get_kernel_syms", "query_module"],
  ...["kexec_load", "kexec_file_load", "swapon", "swapoff", "reboot", "acct", "syslog", "vhangup"],
  ...["settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "sethostname", "setdomainname"],
  ...["iopl", "ioperm", "modify_ldt", "nfsservctl", "lookup_dcookie", "uselib", "_sysctl", "sysfs", "ustat"],
  ...["memfd_secret"],
];

/** Everything the filter refuses; a call that an architecture does not have is left out of its program. */
export const REFUSED_CALLS: readonly RefusedCall[] = [
  ...ALWAYS.map((call) => ({ call, errno: EPERM })),
  // Their arguments lie in memory, where no filter can look; libraries take the older calls after ENOSYS.
  { call: "clone3", errno: ENOSYS },
  { call: "openat2", errno: ENOSYS },
  // Denying unshare alone is not enough: clone makes the same namespaces.
  { call: "clone", errno: EPERM, when: [bits(0, CLONE_NEW_NAMESPACES)] },
  // A file that outlives the run must not lend its owner's rights to whoever starts it.
  { call: "chmod", errno: EPERM, when: [bits(1, SETUID_OR_SETGID)] },
  { call: "fchmod", errno: EPERM, when: [bits(1, SETUID_OR_SETGID)] },
  { call: "fchmodat", errno: EPERM, when: [bits(2, SETUID_OR_SETGID)] },
  { call: "fchmodat2", errno: EPERM, when: [bits(2, SETUID_OR_SETGID)] },
  { call: "creat", errno: EPERM, when: [bits(1, SETUID_OR_SETGID)] },
  { call: "open", errno: EPERM, when: [bits(1, CREATES), bits(2, SETUID_OR_SETGID)] },
  { call: "openat", errno: EPERM, when: [bits(2, CREATES), bits(3, SETUID_OR_SETGID)] },
  { call: "mknod", errno: EPERM, when: [bits(1, SETUID_OR_SETGID | DEVICE)] },
  { call: "mknodat", errno: EPERM, when: [bits(2, SETUID_OR_SETGID | DEVICE)] },
  // No local sockets, whose other end could be a service of the host; no families that load modules or reach a hypervisor.
  { call: "socket", errno: EPERM, when: [{ argument: 0, is: "in", values: [AF_UNIX] }] },
  { call: "socket", errno: EAFNOSUPPORT, when: [{ argument: 0, is: "not-in", values: [AF_INET, AF_INET6] }] },
  {
    call: "socket",
    errno: EPROTONOSUPPORT,
    when: [{ argument: 1, mask: SOCKET_TYPE, is: "not-in", values: [STREAM, DATAGRAM] }],
  },
  {
    call: "socket",
    errno: EPROTONOSUPPORT,
    when: [{ argument: 2, is: "not-in", values: [ANY_PROTOCOL, TCP, UDP] }],
  },
  // A pair is needed between processes; one of datagrams could still be addressed to a socket in a file system.
  {
    call: "socketpair",
    errno: EPERM,
    when: [{ argument: 1, mask: SOCKET_TYPE, is: "not-in", values: [STREAM, SEQUENCED] }],
  },
  { call: "socketpair", errno: EAFNOSUPPORT, when: [{ argument: 0, is: "not-in", values: [AF_UNIX] }] },
  {
    call: "personality",
    errno: EPERM,
    when: [{ argument: 0, is: "not-in", values: [0, QUERY_PERSONALITY] }],
  },
  // Input put into a terminal is run by the shell that reads it next.
  { call: "ioctl", errno: EPERM, when: [{ argument: 1, is: "in", values: [TIOCSTI, TIOCLINUX] }] },
];

function bits(argument: number, mask: number): ArgumentTest {
  return { argument, mask, is: "bits" };
}
