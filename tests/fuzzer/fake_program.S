// A program that looks patched.
        .section .note.rff, "a", @note
        .balign 4
        .long   4, 4, 1
        .asciz  "RFF"
        .long   0

        .text
        .globl  main
main:   xor     %eax, %eax
        ret
        .section .note.GNU-stack, "", @progbits
