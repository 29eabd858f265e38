"""Writes a generated program in C."""
from . import language as l


def c_source(program, comment):
    lines = [f"// {line}".rstrip() for line in comment.splitlines()]
    lines += ["#include <iso646.h>", "#include <pthread.h>", "#include <sched.h>", "#include <stdlib.h>", "#include <unistd.h>", ""]
    for name, values in program.tables.items():
        lines.append(f"static const int {name}[] = {{{', '.join(map(str, values))}}};")
    for name, initial in program.shared.items():
        if isinstance(initial, list):
            lines.append(f"static volatile int {name}[] = {{{', '.join(map(str, initial))}}};")
        else:
            lines.append(f"static volatile int {name} = {initial};")
    lines += [f"static pthread_mutex_t {m} = PTHREAD_MUTEX_INITIALIZER;" for m in l.mutexes(program)]
    lines += [f"static pthread_cond_t {c} = PTHREAD_COND_INITIALIZER;" for c in l.conditions(program)]
    bodies = {}  # threads with one text share one function
    for thread in program.threads:
        bodies.setdefault(thread, f"work_{len(bodies)}")
    for thread, name in bodies.items():
        lines += ["", f"static void* {name}(void* unused) {{", *function(thread), "  return unused;", "}"]
    lines += ["", "static void* check(void* unused) {", *function(program.check), "  return unused;", "}"]
    lines += ["", "int main(void) {", f"  pthread_t threads[{len(program.threads)}];"]
    lines += [f"  pthread_create(&threads[{i}], 0, {bodies[thread]}, 0);" for i, thread in enumerate(program.threads)]
    lines += [f"  for (int i = 0; i < {len(program.threads)}; i++) pthread_join(threads[i], 0);", "  return check(0) != 0;", "}"]
    return "\n".join(lines) + "\n"


def function(statements):
    names = l.locals_of(statements)
    declared = [f"  int {', '.join(f'{n} = 0' for n in names)};"] if names else []
    declared += [f"  (void){n};" for n in names]
    return declared + block(statements, "  ")


def block(statements, indent):
    return [line for s in statements for line in statement(s, indent)]


def statement(s, indent):
    deeper = indent + "  "
    match s:
        case l.Set(local, value):
            text = f"{local} = {value};"
        case l.Read(local, shared):
            text = f"{local} = {shared};"
        case l.Write(shared, value):
            text = f"{shared} = {value};"
        case l.FetchAdd(local, shared, value):
            text = f"{local} = __atomic_fetch_add(&{shared}, {value}, __ATOMIC_SEQ_CST);"
        case l.CompareAndSwap(local, shared, old, new):
            text = f"{local} = __sync_bool_compare_and_swap(&{shared}, {old}, {new});"
        case l.Lock(mutex):
            text = f"pthread_mutex_lock(&{mutex});"
        case l.Unlock(mutex):
            text = f"pthread_mutex_unlock(&{mutex});"
        case l.Wait(condition, mutex):
            text = f"pthread_cond_wait(&{condition}, &{mutex});"
        case l.Signal(condition):
            text = f"pthread_cond_signal(&{condition});"
        case l.Broadcast(condition):
            text = f"pthread_cond_broadcast(&{condition});"
        case l.Yield():
            text = "sched_yield();"
        case l.Sleep(microseconds):
            text = f"usleep({microseconds});"
        case l.If(condition, body):
            return [f"{indent}if ({condition}) {{", *block(body, deeper), f"{indent}}}"]
        case l.Repeat(counter, times, body):
            return [f"{indent}for (int {counter} = 0; {counter} < {times}; {counter}++) {{", *block(body, deeper), f"{indent}}}"]
        case l.Loop(body):
            return [f"{indent}for (;;) {{", *block(body, deeper), f"{indent}}}"]
        case l.Break(condition):
            text = f"if ({condition}) break;"
        case l.Return(condition):
            text = f"if ({condition}) return unused;"
        case l.Fail(condition):
            text = f"if ({condition}) abort();"
    return [indent + text]
