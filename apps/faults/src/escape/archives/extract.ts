/** A program that takes archives apart as they ask for it: every name as it stands, every link made and followed. */

/** For tar and for stored zip archives; the file is its argument. Says what it did not get done. */
export const TRUSTING_EXTRACTOR = `perl - "$ARCHIVE" <<'PERL'
use strict; use warnings; no warnings 'uninitialized';
open(my $in, '<:raw', $ARGV[0]) or die; local $/; my $all = <$in>;
sub parents { my $p = ''; for (split m{/}, $_[0]) { mkdir $p if $p ne '' && !-e $p; $p .= "$_/" } }
sub put { my ($name, $body) = @_; parents($name);
  if (open(my $out, '>:raw', $name)) { print $out $body; close $out } else { print "no $name: $!\\n" } }
sub linked { my ($to, $name) = @_; parents($name); symlink($to, $name) or print "no link $name: $!\\n" }
if (substr($all, 0, 2) eq 'PK') {
  my %modes; # The list at the end comes first: it has the modes.
  while ($all =~ /PK\\x01\\x02/g) { my $at = pos($all) - 4;
    my ($names, $extra) = unpack 'x28 v v', substr($all, $at, 46);
    $modes{unpack 'x42 V', substr($all, $at, 46)} = (unpack 'x38 V', substr($all, $at, 46)) >> 16 }
  my $at = 0;
  while (substr($all, $at, 4) eq "PK\\x03\\x04") {
    my ($size, $names, $extra) = unpack 'x18 V x4 v v', substr($all, $at, 30);
    my $name = substr($all, $at + 30, $names); my $body = substr($all, $at + 30 + $names + $extra, $size);
    if ((($modes{$at} || 0) & 0170000) == 0120000) { linked($body, $name) }
    elsif ($name =~ m{/$}) { parents($name) } else { put($name, $body) }
    $at += 30 + $names + $extra + $size }
} else {
  my ($at, $next) = (0, undef);
  while ($at + 512 <= length $all) {
    my $head = substr($all, $at, 512); last if $head !~ /[^\\0]/;
    my ($name, $mode, $size, $type, $to) = unpack 'Z100 A8 x16 A12 x20 a1 Z100', $head;
    ($mode, $size) = map { oct((/([0-7]+)/)[0]) } $mode, $size;
    my $body = substr($all, $at + 512, $size); $at += 512 + 512 * int(($size + 511) / 512);
    if ($type eq 'x') { $next = $1 if $body =~ / path=(.*)\\n/; next }
    if ($type eq 'L') { ($next = $body) =~ s/\\0.*//s; next }
    ($name, $next) = ($next, undef) if defined $next;
    if ($type eq '2') { linked($to, $name) }
    elsif ($type eq '1') { parents($name); link($to, $name) or print "no hard link $name: $!\\n" }
    elsif ($type eq '5') { parents("$name/x") }
    elsif ($type =~ /[346]/) { parents($name); system('mknod', $name, $type eq '6' ? 'p' : ($type eq '3' ? 'c' : 'b', 1, 5)) }
    else { put($name, $body); chmod $mode, $name }
  }
}
PERL`;
