// Linux error numbers, the same on both architectures.
const EPERM = 1;
export const ENOSYS = 38;
const EPROTONOSUPPORT = 93;
const EAFNOSUPPORT = 97;

/** A test of one argument; the kernel reads all of these as 32 bits, so the upper half is ignored. */
export interface ArgumentTest {
  readonly argument: number;
  /** Applied before the comparison; default: every bit. */
  readonly mask?: number;
  /** `bits`: any bit of the mask is set. */
  readonly is: "bits" | "in" | "not-in";
  readonly values?: readonly number[];
}

/** A call that is answered with an error if every test holds; always, if there are no tests. */
export interface RefusedCall {
  readonly call: string;
  readonly errno: number;
  readonly when: readonly ArgumentTest[];
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

// Each affects the whole kernel or another process, or reaches a parser only for privileged users.
const ALWAYS = `
  ptrace process_vm_readv process_vm_writev process_madvise process_mrelease kcmp pidfd_getfd move_pages migrate_pages
  userfaultfd perf_event_open bpf mount umount2 pivot_root chroot open_tree move_mount mount_setattr fsopen fsconfig
  fsmount fspick statmount listmount unshare setns name_to_handle_at open_by_handle_at fanotify_init quotactl quotactl_fd
  keyctl add_key request_key io_uring_setup io_uring_enter io_uring_register init_module finit_module delete_module
  create_module get_kernel_syms query_module kexec_load kexec_file_load swapon swapoff reboot acct syslog vhangup
  settimeofday clock_settime clock_adjtime adjtimex sethostname setdomainname iopl ioperm modify_ldt nfsservctl
  lookup_dcookie uselib _sysctl sysfs ustat memfd_secret`;

/** Everything the filter refuses; calls that an architecture lacks are left out of its program. */
export const REFUSED_CALLS: readonly RefusedCall[] = [
  ...ALWAYS.trim()
    .split(/\s+/)
    .map((call) => refuse(call, EPERM)),
  // Their arguments are in memory, which no filter can read; on ENOSYS, libraries use the older calls.
  refuse("clone3", ENOSYS),
  refuse("openat2", ENOSYS),
  // Denying unshare alone is not enough: clone makes the same namespaces.
  refuse("clone", EPERM, bits(0, CLONE_NEW_NAMESPACES)),
  // A file that outlives the run must not lend its owner's rights to another user who starts it.
  refuse("chmod", EPERM, bits(1, SETUID_OR_SETGID)),
  refuse("fchmod", EPERM, bits(1, SETUID_OR_SETGID)),
  refuse("fchmodat", EPERM, bits(2, SETUID_OR_SETGID)),
  refuse("fchmodat2", EPERM, bits(2, SETUID_OR_SETGID)),
  refuse("creat", EPERM, bits(1, SETUID_OR_SETGID)),
  refuse("open", EPERM, bits(1, CREATES), bits(2, SETUID_OR_SETGID)),
  refuse("openat", EPERM, bits(2, CREATES), bits(3, SETUID_OR_SETGID)),
  refuse("mknod", EPERM, bits(1, SETUID_OR_SETGID | DEVICE)),
  refuse("mknodat", EPERM, bits(2, SETUID_OR_SETGID | DEVICE)),
  // No local sockets, which could reach the host's services; no families that load modules or reach
  // hypervisors.
  refuse("socket", EPERM, { argument: 0, is: "in", values: [AF_UNIX] }),
  refuse("socket", EAFNOSUPPORT, { argument: 0, is: "not-in", values: [AF_INET, AF_INET6] }),
  refuse("socket", EPROTONOSUPPORT, socketTypeOtherThan(STREAM, DATAGRAM)),
  refuse("socket", EPROTONOSUPPORT, { argument: 2, is: "not-in", values: [ANY_PROTOCOL, TCP, UDP] }),
  // Processes need socket pairs; but a datagram pair could still be addressed to a socket in a file system.
  refuse("socketpair", EPERM, socketTypeOtherThan(STREAM, SEQUENCED)),
  refuse("socketpair", EAFNOSUPPORT, { argument: 0, is: "not-in", values: [AF_UNIX] }),
  refuse("personality", EPERM, { argument: 0, is: "not-in", values: [0, QUERY_PERSONALITY] }),
  // The shell that reads a terminal next runs the input injected into it.
  refuse("ioctl", EPERM, { argument: 1, is: "in", values: [TIOCSTI, TIOCLINUX] }),
];

function refuse(call: string, errno: number, ...when: readonly ArgumentTest[]): RefusedCall {
  return { call, errno, when };
}

function socketTypeOtherThan(...values: readonly number[]): ArgumentTest {
  return { argument: 1, mask: SOCKET_TYPE, is: "not-in", values };
}

function bits(argument: number, mask: number): ArgumentTest {
  return { argument, mask, is: "bits" };
}

export type FilteredArchitecture = "x64" | "arm64";

// From 424 on, all architectures share their numbers.
const SHARED_NUMBERS = `
  io_uring_setup 425, io_uring_enter 426, io_uring_register 427, open_tree 428, move_mount 429, fsopen 430,
  fsconfig 431, fsmount 432, fspick 433, clone3 435, openat2 437, pidfd_getfd 438, process_madvise 440,
  mount_setattr 442, quotactl_fd 443, memfd_secret 447, process_mrelease 448, fchmodat2 452, statmount 457,
  listmount 458`;

/** The numbers of the calls that the filter handles, from the kernel's headers. */
export const SYSTEM_CALL_NUMBERS: Readonly<Record<FilteredArchitecture, ReadonlyMap<string, number>>> = {
  x64: numbers(`
  open 2, ioctl 16, socket 41, socketpair 53, clone 56, creat 85, chmod 90, fchmod 91, ptrace 101,
  syslog 103, mknod 133, uselib 134, personality 135, ustat 136, sysfs 139, vhangup 153, modify_ldt 154,
  pivot_root 155, _sysctl 156, adjtimex 159, chroot 161, acct 163, settimeofday 164, mount 165, umount2 166,
  swapon 167, swapoff 168, reboot 169, sethostname 170, setdomainname 171, iopl 172, ioperm 173,
  create_module 174, init_module 175, delete_module 176, get_kernel_syms 177, query_module 178, quotactl 179,
  nfsservctl 180, lookup_dcookie 212, clock_settime 227, kexec_load 246, add_key 248, request_key 249,
  keyctl 250, migrate_pages 256, openat 257, mknodat 259, fchmodat 268, unshare 272, move_pages 279,
  perf_event_open 298, fanotify_init 300, name_to_handle_at 303, open_by_handle_at 304, clock_adjtime 305,
  setns 308, process_vm_readv 310, process_vm_writev 311, kcmp 312, finit_module 313, kexec_file_load 320,
  bpf 321, userfaultfd 323,
  ${SHARED_NUMBERS}`),
  arm64: numbers(`
  lookup_dcookie 18, ioctl 29, mknodat 33, umount2 39, mount 40, pivot_root 41, nfsservctl 42, chroot 51,
  fchmod 52, fchmodat 53, openat 56, vhangup 58, quotactl 60, acct 89, personality 92, unshare 97,
  kexec_load 104, init_module 105, delete_module 106, clock_settime 112, syslog 116, ptrace 117, reboot 142,
  sethostname 161, setdomainname 162, settimeofday 170, adjtimex 171, socket 198, socketpair 199,
  add_key 217, request_key 218, keyctl 219, clone 220, swapon 224, swapoff 225, migrate_pages 238,
  move_pages 239, perf_event_open 241, fanotify_init 262, name_to_handle_at 264, open_by_handle_at 265,
  clock_adjtime 266, setns 268, process_vm_readv 270, process_vm_writev 271, kcmp 272, finit_module 273,
  bpf 280, userfaultfd 282, kexec_file_load 294,
  ${SHARED_NUMBERS}`),
};

function numbers(table: string): ReadonlyMap<string, number> {
  return new Map(
    Array.from(table.matchAll(/(\w+) (\d+)/g), ([, call = "", number]) => [call, Number(number)]),
  );
}
