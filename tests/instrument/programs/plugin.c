// A shared library that is loaded at run time.
static long cells[8];
long Plugin(long n) {
  for (long i = 0; i < n; i++) cells[i & 7] += i;
  return cells[3];
}
