// A Python script for gdb. It selects the frame that the report names, and redefines next and step
// to go from line to line of patched code, with breakpoints on the lines in the copies. gdb's own
// commands do not get past hooks, since these unwind to the original code, to which the thread does
// not return. Only this thread stops; the schedule decides what the others do meanwhile.
#pragma once

namespace rff {

inline constexpr char kStepping[] = R"PY(
import gdb

def function_at(pc):
    for f in FUNCTIONS:
        if f[0] <= pc < f[1] or f[2] <= pc < f[3]:
            return f

class Step(gdb.Command):
    def __init__(self, name, into):
        self.into = into
        self.__doc__ = "To the next line of the program, under the same schedule" + (
            ", into functions." if into else ".")
        super().__init__(name, gdb.COMMAND_RUNNING)

    def once(self):
        frame = gdb.newest_frame()
        here = function_at(frame.pc())
        if here is None:
            raise gdb.GdbError("This is not code of the patched program: set a breakpoint in it, and run again.")
        line = frame.find_sal().line
        stops = {address for address, number in here[4] if number != line}
        if frame.older() is not None and function_at(frame.older().pc()):
            stops.add(frame.older().pc())
        if self.into:
            stops |= {f[4][0][0] for f in FUNCTIONS if f is not here}
        thread = gdb.selected_thread().num
        breakpoints = []
        for address in stops:
            breakpoints.append(gdb.Breakpoint("*%d" % address, internal=True))
            breakpoints[-1].thread = thread
            breakpoints[-1].silent = True
        try:
            said = gdb.execute("continue", to_string=True)
        finally:
            for b in breakpoints:
                if b.is_valid():
                    b.delete()
        if "hit Breakpoint" in said or not gdb.selected_inferior().pid:
            gdb.write(said)
        else:
            gdb.execute("frame")

    def invoke(self, argument, from_tty):
        for _ in range(int(gdb.parse_and_eval(argument)) if argument else 1):
            self.once()

class Frame(gdb.Command):
    """Selects the frame of a source line: LINE FILE FUNCTION."""
    def __init__(self):
        super().__init__("rff-frame", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        line, file, function = argument.split(" ", 2)
        frame = gdb.newest_frame()
        while frame is not None:
            at = frame.find_sal()
            if at.symtab is not None and at.line == int(line) and at.symtab.filename.split("/")[-1] == file:
                frame.select()
                gdb.execute("frame")
                return
            frame = frame.older()
        gdb.execute("frame function " + function)

Step("next", False)
Step("step", True)
Frame()
)PY";

}  // namespace rff
