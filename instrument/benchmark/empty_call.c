// What E9Tool's clean call calls: the same nothing as the empty runtime's hook, with the same
// argument.
void entry(const void* address) { (void)address; }
