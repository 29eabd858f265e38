# Threads of Perl with a queue and a shared variable.
use strict;
use warnings;
use threads;
use threads::shared;
use Thread::Queue;

my $work = Thread::Queue->new;
my $total : shared = 0;
my @threads = map {
    threads->create(sub {
        while (defined(my $n = $work->dequeue)) {
            lock $total;
            $total += $n;
        }
    })
} 1 .. 2;
$work->enqueue($_) for 0 .. 9;
$work->end;
$_->join for @threads;
die "total $total" unless $total == 45;
open my $results, '>>', $ARGV[0] // '/dev/stdout' or die $!;
print $results "total $total\n";
