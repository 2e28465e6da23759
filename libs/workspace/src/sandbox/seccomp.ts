/**
 * The system calls that no command needs and that kernels were broken with: a filter as bytes, in the form in which the kernel takes
 * it (classic BPF over `struct seccomp_data`). Refused calls fail as on a machine that does not have them. The numbers for arm64 are
 * those of its headers; the filter was run on x64 only.
 */

type Arch = 'x64' | 'arm64';

/** Audit names of the machines, from linux/audit.h. */
const AUDIT_ARCH: Record<Arch, number> = { x64: 0xc000_003e, arm64: 0xc000_00b7 };

/** Numbers that every machine shares: calls from 424 on. */
const refusedEverywhere = {
  open_tree: 428,
  move_mount: 429,
  fsopen: 430,
  fsconfig: 431,
  fsmount: 432,
  fspick: 433,
  pidfd_getfd: 438,
  mount_setattr: 442,
  quotactl_fd: 443,
  open_tree_attr: 467,
};

/** Refused with EPERM: other processes' memory, the kernel's keys and programs, mounts and namespaces, the machine itself. */
const REFUSED: Record<Arch, Readonly<Record<string, number>>> = {
  x64: {
    ...{ ptrace: 101, process_vm_readv: 310, process_vm_writev: 311, kcmp: 312 },
    ...{ add_key: 248, request_key: 249, keyctl: 250 },
    ...{ bpf: 321, perf_event_open: 298, userfaultfd: 323, vmsplice: 278, lookup_dcookie: 212 },
    ...{ mount: 165, umount2: 166, pivot_root: 155, chroot: 161, setns: 308, unshare: 272 },
    ...{ kexec_load: 246, kexec_file_load: 320, create_module: 174, init_module: 175 },
    ...{ delete_module: 176, finit_module: 313, name_to_handle_at: 303, open_by_handle_at: 304 },
    ...{ syslog: 103, acct: 163, swapon: 167, swapoff: 168, quotactl: 179, nfsservctl: 180 },
    ...{ reboot: 169, iopl: 172, ioperm: 173, settimeofday: 164, clock_settime: 227 },
    ...{ adjtimex: 159, clock_adjtime: 305, sethostname: 170, setdomainname: 171 },
    ...refusedEverywhere,
  },
  arm64: {
    ...{ ptrace: 117, process_vm_readv: 270, process_vm_writev: 271, kcmp: 272 },
    ...{ add_key: 217, request_key: 218, keyctl: 219 },
    ...{ bpf: 280, perf_event_open: 241, userfaultfd: 282, vmsplice: 75, lookup_dcookie: 18 },
    ...{ mount: 40, umount2: 39, pivot_root: 41, chroot: 51, setns: 268, unshare: 97 },
    ...{ kexec_load: 104, kexec_file_load: 294, init_module: 105 },
    ...{ delete_module: 106, finit_module: 273, name_to_handle_at: 264, open_by_handle_at: 265 },
    ...{ syslog: 116, acct: 89, swapon: 224, swapoff: 225, quotactl: 60, nfsservctl: 42 },
    ...{ reboot: 142, settimeofday: 170, clock_settime: 112 },
    ...{ adjtimex: 171, clock_adjtime: 266, sethostname: 161, setdomainname: 162 },
    ...refusedEverywhere,
  },
};

/** Refused with ENOSYS: their callers know how to do without. `clone3` hides its flags in memory, where a filter can't look. */
const UNKNOWN = { io_uring_setup: 425, io_uring_enter: 426, io_uring_register: 427, clone3: 435 };

/** Looked at by their arguments. */
const LOOKED_AT: Record<Arch, { readonly clone: number; readonly ioctl: number; readonly socket: number }> = {
  x64: { clone: 56, ioctl: 16, socket: 41 },
  arm64: { clone: 220, ioctl: 29, socket: 198 },
};

/** All `CLONE_NEW*` that clone knows. */
const NEW_NAMESPACES = 0x7e02_0000;
/** Terminal requests that put characters into somebody else's input: TIOCSTI, TIOCLINUX. */
const TERMINAL_INPUT = [0x5412, 0x541c];
/** Kinds of sockets there may be: none, local, IPv4, IPv6, netlink (which names the machine's interfaces). */
const SOCKETS = [0, 1, 2, 10, 16];
/** Numbers from here on are x32's: another way to the same calls. */
const X32 = 0x4000_0000;

const ERRNO = { EPERM: 1, ENOSYS: 38, EAFNOSUPPORT: 97 };
const ALLOW = 0x7fff_0000;
const KILL_PROCESS = 0x8000_0000;
const refuse = (errno: number): number => 0x0005_0000 | errno;

/** Offsets in `struct seccomp_data`; of arguments the lower half, on little-endian machines. */
const AT = { number: 0, arch: 4, argument: (index: number) => 16 + 8 * index };

type Instruction = readonly [code: number, jumpTrue: number, jumpFalse: number, value: number];
const load = (offset: number): Instruction => [0x20, 0, 0, offset];
const give = (value: number): Instruction => [0x06, 0, 0, value];
/** Goes on if equal; else skips `skip` instructions. */
const unlessEqualSkip = (value: number, skip: number): Instruction => [0x15, 0, skip, value];
const ifEqualSkip = (value: number, skip: number): Instruction => [0x15, skip, 0, value];
const unlessAtLeastSkip = (value: number, skip: number): Instruction => [0x35, 0, skip, value];
const unlessAnyBitSkip = (bits: number, skip: number): Instruction => [0x45, 0, skip, bits];

/** The filter for this machine; null for one whose numbers are not known. */
export function seccompFilter(arch: string = process.arch): Buffer | null {
  return arch === 'x64' || arch === 'arm64' ? encode(program(arch)) : null;
}

function program(arch: Arch): Instruction[] {
  const { clone, ioctl, socket } = LOOKED_AT[arch];
  return [
    load(AT.arch),
    ifEqualSkip(AUDIT_ARCH[arch], 1),
    give(KILL_PROCESS),
    load(AT.number),
    ...(arch === 'x64' ? [unlessAtLeastSkip(X32, 1), give(refuse(ERRNO.ENOSYS))] : []),
    ...Object.values(REFUSED[arch]).flatMap((number) => answer(number, ERRNO.EPERM)),
    ...Object.values(UNKNOWN).flatMap((number) => answer(number, ERRNO.ENOSYS)),
    ...inside(clone, [load(AT.argument(0)), unlessAnyBitSkip(NEW_NAMESPACES, 1), give(refuse(ERRNO.EPERM))]),
    ...inside(ioctl, [
      load(AT.argument(1)),
      ...TERMINAL_INPUT.flatMap((request) => answer(request, ERRNO.EPERM)),
    ]),
    ...inside(socket, [
      load(AT.argument(0)),
      ...SOCKETS.flatMap((kind) => [unlessEqualSkip(kind, 1), give(ALLOW)]),
      give(refuse(ERRNO.EAFNOSUPPORT)),
    ]),
    give(ALLOW),
  ];
}

function answer(value: number, errno: number): Instruction[] {
  return [unlessEqualSkip(value, 1), give(refuse(errno))];
}

/** Instructions for one call; what they do not answer is allowed. */
function inside(number: number, body: readonly Instruction[]): Instruction[] {
  return [unlessEqualSkip(number, body.length + 1), ...body, give(ALLOW)];
}

function encode(instructions: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(instructions.length * 8);
  instructions.forEach(([code, jumpTrue, jumpFalse, value], index) => {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(jumpTrue, index * 8 + 2);
    bytes.writeUInt8(jumpFalse, index * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4);
  });
  return bytes;
}
