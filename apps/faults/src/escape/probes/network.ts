/** Programs that look for a way to anybody else: the machine's own servers, other processes, the world. */
import type { Attack } from '../attack.js';
import type { Arena } from '../arena.js';
import { perl } from '../syscalls.js';
import { probe } from '../probe.js';

const network = (name: string, what: string, program: string | ((arena: Arena) => string)): Attack =>
  probe(name, what, program, { harm: 'network' });

/** Tries to connect, by the addresses of the arena's own servers. */
const connects = (
  targets: string,
) => `use strict; use warnings; use IO::Socket; use Socket qw(:all); $SIG{ALRM} = sub { die "slow" };
for my $t (${targets}) { my ($host, $port) = @$t; eval { alarm 2;
  my ($e, @a) = getaddrinfo($host, $port, { socktype => SOCK_STREAM, flags => AI_NUMERICHOST }); for my $a (@a) {
  socket(my $s, $a->{family}, SOCK_STREAM, 0) or next; if (connect($s, $a->{addr})) { print "GOT: $host $port\\n"; sysread($s, my $b, 100); print "$b\\n" } } }; alarm 0 }`;

const list = (pairs: readonly (readonly [string, number])[]) =>
  pairs.map(([host, port]) => `['${host}', ${port}]`).join(', ');

export const networks: readonly Attack[] = [
  network('tcp-machine', 'connects to the machine’s servers', ({ listeners }) =>
    perl(connects(list(listeners.tcp))),
  ),
  network('udp-machine', 'sends datagrams to the machine', ({ listeners }) =>
    perl(
      `use Socket qw(:all); for my $t (${list(listeners.udp)}) { my ($e, $a) = getaddrinfo($$t[0], $$t[1], { socktype => SOCK_DGRAM, flags => AI_NUMERICHOST }); socket(my $s, $a->{family}, SOCK_DGRAM, 0) or next; send($s, 'hello', 0, $a->{addr}) }`,
    ),
  ),
  network(
    'tcp-world',
    'connects to the world',
    perl(
      connects(
        "['1.1.1.1', 53], ['8.8.8.8', 443], ['2606:4700:4700::1111', 53], ['169.254.169.254', 80], ['10.0.0.1', 80], ['192.168.0.1', 80], ['172.17.0.1', 22], ['0.0.0.0', 22], ['255.255.255.255', 9]",
      ),
    ),
  ),
  network(
    'names',
    'looks up names',
    'for n in example.com localhost.localdomain metadata.google.internal host.docker.internal; do timeout 3 getent hosts $n && got "resolved $n"; done; cat /etc/resolv.conf 2>/dev/null && got resolv.conf; true',
  ),
  network('unix-sockets', 'connects to sockets of the machine', ({ listeners }) =>
    perl(`use Socket; for my $p (${listeners.unix.map((path) => `'${path}'`).join(', ')}, '/var/run/docker.sock', '/run/docker.sock', '/run/dbus/system_bus_socket', '/tmp/.s.PGSQL.5432', '/var/run/postgresql/.s.PGSQL.5432', '/run/systemd/private', '/run/containerd/containerd.sock', '/tmp/.X11-unix/X0', '@/tmp/.X11-unix/X0', '@/org/freedesktop/systemd1/notify') {
  (my $n = $p) =~ s/^\\@/\\0/; socket(my $s, AF_UNIX, SOCK_STREAM, 0) or next; print "GOT: $p\\n" if connect($s, pack_sockaddr_un($n)) }`),
  ),
  network(
    'socket-files',
    'finds sockets in the file system',
    'find / -xdev -type s 2>/dev/null | while read -r s; do got "socket $s"; done; awk "NR>1 && \\$8 {print}" /proc/net/unix 2>/dev/null | while read -r l; do got "$l"; done; true',
  ),
  network(
    'raw-sockets',
    'opens sockets that see everything',
    perl(
      `use Socket; for ([17, 3, 0x300], [2, 3, 1], [2, 3, 255], [10, 3, 58], [40, 1, 0], [16, 3, 12], [29, 3, 1], [38, 5, 0], [31, 3, 1], [9, 5, 0], [3, 5, 0], [15, 3, 2]) { my ($f, $t, $p) = @$_; print "GOT: socket($f, $t, $p)\\n" if $f != 16 && socket(my $s, $f, $t, $p) }`,
    ),
  ),
  network(
    'netlink',
    'changes the network by netlink',
    'command -v ip >/dev/null && ip link add d0 type dummy 2>/dev/null && got "ip link add"; command -v ip >/dev/null && ip addr add 10.1.2.3/8 dev lo 2>/dev/null && got "ip addr add"; n=$(grep -c . /proc/net/dev); [ "$n" -gt 3 ] && got "more than lo: $(cat /proc/net/dev)"; [ -s /proc/net/route ] && [ "$(grep -c . /proc/net/route)" -gt 1 ] && got route; true',
  ),
  network(
    'own-ports',
    'its own server is its own: nobody outside is reached by the same port',
    ({ listeners }) =>
      perl(
        `use IO::Socket::INET; my $s = IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1', LocalPort => ${listeners.tcp[0]?.[1] ?? 1}) or print "GOT: the port is taken: the network is shared\\n";`,
      ),
  ),
  probe(
    'signals',
    'signals processes of the machine',
    ({ bystander }) =>
      `for p in ${bystander.pid} ${process.pid} $(seq 2 40 | grep -vx $$); do [ "$p" -gt 100 ] && kill -STOP $p 2>/dev/null && got "stopped $p"; done; kill -TERM ${bystander.pid} 2>/dev/null && got "TERM"; [ -e /proc/${bystander.pid} ] && got "a process of the machine is seen"; n=$(ls -d /proc/[0-9]* | wc -l); [ "$n" -gt 25 ] && got "$n processes are seen"; true`,
  ),
  probe('signal-all', 'signals everything it may', `kill -9 -1 2>/dev/null; kill -STOP 1; true`, {
    isCut: true,
  }),
  probe(
    'shared-memory',
    'uses shared memory and queues of the machine',
    'ipcs -a 2>/dev/null | grep -c "^0x" | grep -vqx 0 && got "ipc objects are seen"; ls -A /dev/shm /dev/mqueue 2>/dev/null | grep -v "^/dev\\|^$" | while read -r f; do got "shm $f"; done; true',
  ),
  probe(
    'clocks-and-names',
    'learns about the machine',
    ({ listeners }) =>
      `hostname | grep -qvx box && got "its name: $(hostname)"; cat /proc/sys/kernel/random/boot_id >/dev/null; ls /sys/class/net 2>/dev/null | grep -qv "^lo$" && got "interfaces"; true; : ${listeners.tcp.length}`,
  ),
];
