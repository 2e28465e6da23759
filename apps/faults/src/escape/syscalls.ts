/**
 * System calls for programs in Perl, which is on every Debian machine and can make any of them: hostile programs are so written
 * without a compiler. Where perl is not, neither are they: that counts as broken, not as held.
 */
const NUMBERS = {
  add_key: [248, 217],
  bpf: [321, 280],
  chroot: [161, 51],
  clone3: [435, 435],
  fsopen: [430, 430],
  io_uring_setup: [425, 425],
  kcmp: [312, 272],
  keyctl: [250, 219],
  memfd_create: [319, 279],
  mount: [165, 40],
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  open_tree: [428, 428],
  perf_event_open: [298, 241],
  personality: [135, 92],
  pidfd_getfd: [438, 438],
  pidfd_open: [434, 434],
  pivot_root: [155, 41],
  process_vm_readv: [310, 270],
  ptrace: [101, 117],
  quotactl: [179, 60],
  renameat2: [316, 276],
  request_key: [249, 218],
  setns: [308, 268],
  swapon: [167, 224],
  syslog: [103, 116],
  umount2: [166, 39],
  unshare: [272, 97],
  userfaultfd: [323, 282],
} as const satisfies Readonly<Record<string, readonly [x64: number, arm64: number]>>;

/** Definitions of the calls' numbers, to stand at the beginning of a program. */
export function perlNumbers(): string {
  const at = process.arch === 'arm64' ? 1 : 0;
  const constants = Object.entries(NUMBERS).map(([name, numbers]) => `SYS_${name} => ${numbers[at]}`);
  return `use strict; use warnings; use constant { ${constants.join(', ')} };\n`;
}

/** A line for the shell that runs such a program. */
export function perl(program: string): string {
  return `perl - <<'PERL'\n${perlNumbers()}${program}\nPERL`;
}
