/** Programs that ask the kernel for more than a command needs. */
import type { Attack } from '../attack.js';
import { perl } from '../syscalls.js';
import { probe } from '../probe.js';

const call = (name: string, what: string, program: string): Attack => probe(name, what, perl(program));

const rights: readonly Attack[] = [
  probe(
    'capabilities',
    'has capabilities, or could get them',
    `grep -E "^(Cap|NoNewPrivs|Seccomp)" /proc/self/status; awk '/^Cap/ && $2 !~ /^0+$/ {print "GOT: " $0} /^NoNewPrivs/ && $2 != 1 {print "GOT: " $0} /^Seccomp:/ && $2 != 2 {print "GOT: " $0}' /proc/self/status`,
  ),
  probe(
    'root',
    'is root, or becomes it',
    '[ "$(id -u)" = 0 ] && got "it is root"; for c in "sudo -n id" "su -c id" "pkexec id" "doas id" "newgrp root" "sg root id"; do timeout 2 $c </dev/null 2>/dev/null | grep -q "uid=0" && got "$c"; done; true',
  ),
  probe(
    'set-uid-programs',
    'runs set-uid programs of the system and its own',
    'find / -xdev -perm /6000 -type f 2>/dev/null | while read -r f; do case $f in */su|*/mount|*/passwd|*/chsh) "$f" --help >/dev/null 2>&1;; esac; done; cp /bin/bash b; chmod 6755 b; ./b -p -c "id -u" | grep -qx 0 && got "its own set-uid shell is root"; setcap cap_sys_admin+ep b 2>/dev/null && got "setcap"; true',
  ),
  call(
    'user-namespace',
    'makes namespaces of its own',
    `for (0x10000000, 0x20000, 0x20000000, 0x40000000, 0x08000000, 0x04000000, 0x02000000, 0x80, 0x7e020000) {
  printf "GOT: unshare(%x)\\n", $_ if syscall(SYS_unshare, $_) == 0 }`,
  ),
  call(
    'clone-namespace',
    'clones into namespaces',
    `my $clone = SYS_ptrace == 101 ? 56 : 220;
for (0x10000011, 0x20000011, 0x30020011) { my $p = syscall($clone, $_, 0, 0, 0, 0); if ($p == 0) { exit 0 } printf "GOT: clone(%x)\\n", $_ if $p > 0 }
my $args = pack('Q8', 0x10000000, 0, 0, 0, 17, 0, 0, 0); my $p = syscall(SYS_clone3, $args, 64); exit 0 if $p == 0; print "GOT: clone3\\n" if $p > 0;`,
  ),
  probe(
    'namespace-tools',
    'uses the tools for namespaces',
    'for c in "unshare -r true" "unshare -Ur true" "unshare -n true" "unshare -m true" "unshare -p true" "nsenter -t 1 -a true" "chroot / true" "setpriv --reuid 0 true" "bwrap --ro-bind / / true" "setarch -R true"; do case $c in setarch*) continue;; esac; timeout 3 $c 2>/dev/null && got "$c"; done; true',
  ),
  call(
    'setns',
    'joins other namespaces',
    `for my $ns (glob '/proc/*/ns/*') { open(my $f, '<', $ns) or next; print "GOT: setns $ns\\n" if syscall(SYS_setns, fileno($f), 0) == 0 }`,
  ),
  call(
    'mounts',
    'mounts, moves and unmounts',
    `mkdir 'm';
print "GOT: tmpfs\\n" if syscall(SYS_mount, 'none', 'm', 'tmpfs', 0, 0) == 0;
print "GOT: proc\\n" if syscall(SYS_mount, 'none', 'm', 'proc', 0, 0) == 0;
print "GOT: bind\\n" if syscall(SYS_mount, '/', 'm', 'none', 4096, 0) == 0;
for ('/', '/usr', '/etc/passwd', '/dev', '/proc/1') { print "GOT: rw $_\\n" if syscall(SYS_mount, 'none', $_, 'none', 32, 0) == 0; print "GOT: umount $_\\n" if syscall(SYS_umount2, $_, 2) == 0 }
print "GOT: fsopen\\n" if syscall(SYS_fsopen, 'tmpfs', 0) >= 0;
print "GOT: open_tree\\n" if syscall(SYS_open_tree, -100, '/', 1) >= 0;
print "GOT: pivot_root\\n" if syscall(SYS_pivot_root, '.', '.') == 0;
print "GOT: chroot\\n" if syscall(SYS_chroot, '.') == 0;`,
  ),
  call(
    'ptrace',
    'traces processes and reads their memory',
    `my $p = fork // die; if (!$p) { sleep 5; exit } 
print "GOT: ptrace attach\\n" if syscall(SYS_ptrace, 16, $p, 0, 0) == 0; print "GOT: ptrace seize\\n" if syscall(SYS_ptrace, 0x4206, $p, 0, 0) == 0;
print "GOT: traceme\\n" if syscall(SYS_ptrace, 0, 0, 0, 0) == 0;
for my $pid (1, getppid) { my $b = "\\0" x 8; my $l = pack('p Q', $b, 8); my $r = pack('Q Q', 0x400000, 8);
  print "GOT: memory of $pid\\n" if syscall(SYS_process_vm_readv, $pid, $l, 1, $r, 1, 0) > 0; print "GOT: kcmp\\n" if syscall(SYS_kcmp, $pid, $$, 0, 0, 0) >= 0 }
kill 9, $p; waitpid $p, 0;`,
  ),
  probe(
    'memory-of-first',
    'writes to the memory of process 1',
    'for f in /proc/1/mem /proc/1/task/1/mem; do dd if=/dev/zero of=$f bs=1 count=1 conv=notrunc 2>/dev/null && got "wrote $f"; [ -e $f ] && got "$f is there"; done; echo x > /proc/1/oom_score_adj 2>/dev/null && got "oom of 1"; true',
  ),
  call(
    'pidfd',
    'takes descriptors of other processes',
    `my $fd = syscall(SYS_pidfd_open, 1, 0); if ($fd >= 0) { for (0..20) { my $n = syscall(SYS_pidfd_getfd, $fd, $_, 0); print "GOT: descriptor $_ of 1\\n" if $n >= 0 } }`,
  ),
  call(
    'keyring',
    'uses the kernel’s keyrings',
    `print "GOT: add_key\\n" if syscall(SYS_add_key, 'user', 'a', 'b', 1, -3) >= 0; print "GOT: keyctl\\n" if syscall(SYS_keyctl, 0, -3, 1) >= 0; print "GOT: session\\n" if syscall(SYS_keyctl, 1, 0) >= 0; print "GOT: request_key\\n" if syscall(SYS_request_key, 'user', 'a', 0, -3) >= 0;
open(my $k, '<', '/proc/keys') and do { my @l = <$k>; print "GOT: keys @l\\n" if @l }`,
  ),
  call(
    'kernel-doors',
    'opens doors to the kernel that were broken before',
    `my $b = "\\0" x 256;
print "GOT: io_uring\\n" if syscall(SYS_io_uring_setup, 4, $b) >= 0; print "GOT: userfaultfd\\n" if syscall(SYS_userfaultfd, 1) >= 0;
print "GOT: bpf\\n" if syscall(SYS_bpf, 0, $b, 72) >= 0; print "GOT: perf\\n" if syscall(SYS_perf_event_open, $b, 0, -1, -1, 0) >= 0;
print "GOT: syslog\\n" if syscall(SYS_syslog, 3, $b, 200) >= 0; print "GOT: handle\\n" if syscall(SYS_name_to_handle_at, -100, '/', $b, $b, 0) >= 0;
print "GOT: swapon\\n" if syscall(SYS_swapon, 'x', 0) == 0; print "GOT: quotactl\\n" if syscall(SYS_quotactl, 0x80000100, 0, 0, $b) == 0;`,
  ),
  call(
    'foreign-calls',
    'makes the same calls by the numbers of another machine',
    `exit 0 if SYS_ptrace != 101; my $x = 0x40000000;
for ([272, 0x10000000], [101, 0], [165, 0], [425, 4]) { my ($n, $a) = @$_; print "GOT: x32 $n\\n" if syscall($x + $n, $a, 0, 0, 0, 0) >= 0 }`,
  ),
];

const devices: readonly Attack[] = [
  probe(
    'devices',
    'makes and opens devices',
    'mknod mem c 1 1 2>/dev/null && got "mknod"; mknod sda b 8 0 2>/dev/null && got "mknod"; mknod /dev/x c 1 5 2>/dev/null && got "mknod in /dev"; for d in /dev/*; do case $d in /dev/null|/dev/zero|/dev/full|/dev/random|/dev/urandom|/dev/tty|/dev/console|/dev/fd|/dev/stdin|/dev/stdout|/dev/stderr|/dev/core|/dev/ptmx|/dev/pts|/dev/shm) ;; *) got "device $d";; esac; done; for d in /dev/kvm /dev/fuse /dev/net/tun /dev/vda /dev/sda /dev/mem; do [ -e $d ] && got "$d"; done; true',
  ),
  call(
    'terminal',
    'puts characters into the terminal that started it',
    `require 'fcntl.ph' if 0; for my $t (*STDIN, *STDOUT, *STDERR) { my $c = 'x'; print "GOT: TIOCSTI\\n" if ioctl($t, 0x5412, $c) }
if (open(my $tty, '+<', '/dev/tty')) { my $c = 'x'; print "GOT: a terminal\\n"; print "GOT: TIOCSTI\\n" if ioctl($tty, 0x5412, $c); }
if (open(my $con, '+<', '/dev/console')) { my $c = 'x'; print "GOT: TIOCLINUX\\n" if ioctl($con, 0x541c, $c) }`,
  ),
  probe(
    'core-dumps',
    'leaves a core dump',
    'ulimit -c unlimited 2>/dev/null && [ "$(ulimit -c)" = unlimited ] && got "core size"; ( kill -SEGV $BASHPID ) 2>/dev/null; ls core* 2>/dev/null && got "a core"; echo "|/tmp/x" > /proc/sys/kernel/core_pattern 2>/dev/null && got "core_pattern"; true',
  ),
  probe(
    'limits-raised',
    'raises its limits',
    'for l in u n t; do ulimit -H$l unlimited 2>/dev/null && got "ulimit -$l"; done; [ "$(ulimit -Hu)" = unlimited ] && got "processes unlimited"; prlimit --pid $$ --nproc=100000 2>/dev/null && got prlimit; renice -n -5 $$ >/dev/null 2>&1 && got renice; chrt -f 1 true 2>/dev/null && got "real time"; true',
  ),
  probe(
    'machine',
    'changes the machine',
    'date -s "2001-01-01" 2>/dev/null && got date; hostname x 2>/dev/null && got hostname; for f in /proc/sys/kernel/hostname /proc/sys/vm/drop_caches /proc/sysrq-trigger /proc/sys/kernel/core_pattern /sys/kernel/uevent_helper /sys/fs/cgroup/cgroup.procs /sys/fs/cgroup/x; do ( echo 1 > $f ) 2>/dev/null && got "wrote $f"; done; find /proc/sys -writable -type f -not -path "*/mqueue/*" -not -name pid_max -not -path "*/kernel/*msg*" -not -path "*/kernel/*sem*" -not -path "*/kernel/*shm*" 2>/dev/null | head -3 | while read -r f; do ( cat $f > $f ) 2>/dev/null && got "writable $f"; done; ls /sys/kernel 2>/dev/null && got /sys; reboot -f 2>/dev/null; true',
  ),
];

export const kernel: readonly Attack[] = [...rights, ...devices];
