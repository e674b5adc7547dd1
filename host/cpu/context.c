/*
 * host/cpu/context.c: see context.h. The layouts of the saved frames are private to this file.
 */
#include "context.h"

#include <string.h>

#if defined(__x86_64__)

__asm__(".text\n"
        ".globl cpu_switch\n.hidden cpu_switch\n.type cpu_switch,@function\n"
        "cpu_switch:\n"
        "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
        "  movq %rsp, (%rdi)\n"
        "  movq %rsi, %rsp\n"
        "  movq %rdx, %rax\n"
        "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
        "  ret\n"
        ".size cpu_switch, .-cpu_switch\n"
        ".globl cpu_escape\n.hidden cpu_escape\n.type cpu_escape,@function\n"
        "cpu_escape:\n"
        "  movq %rdi, %rsp\n"
        "  movq %rsi, %rax\n"
        "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
        "  ret\n"
        ".size cpu_escape, .-cpu_escape\n"
        ".globl cpu_guarded\n.hidden cpu_guarded\n.type cpu_guarded,@function\n"
        "cpu_guarded:\n"
        "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
        "  movq %rsp, (%rdi)\n"
        "  movq %rsp, %rbx\n"
        "  movq %rcx, %rsp\n"
        "  movq %rdx, %rdi\n"
        "  callq *%rsi\n"
        "  movq %rbx, %rsp\n"
        "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
        "  ret\n"
        ".size cpu_guarded, .-cpu_guarded\n");

void *cpu_context(void *top, void (*entry)(void)) {
    /* Six registers, then the address that `ret` takes; entry() must find the stack as after a
     * call: 8 bytes off a 16-byte boundary. */
    uintptr_t sp = ((uintptr_t)top & ~(uintptr_t)15) - 8;
    *(void **)sp = NULL; /* entry's return address: it has none */
    sp -= 8;
    memcpy((void *)sp, &entry, sizeof entry);
    sp -= 6 * 8;
    memset((void *)sp, 0, 6 * 8);
    return (void *)sp;
}

#elif defined(__aarch64__)

#define SAVE                                                                                       \
    "  sub sp, sp, #160\n"                                                                         \
    "  stp x19, x20, [sp]\n  stp x21, x22, [sp, #16]\n  stp x23, x24, [sp, #32]\n"                 \
    "  stp x25, x26, [sp, #48]\n  stp x27, x28, [sp, #64]\n  stp x29, x30, [sp, #80]\n"            \
    "  stp d8, d9, [sp, #96]\n  stp d10, d11, [sp, #112]\n  stp d12, d13, [sp, #128]\n"            \
    "  stp d14, d15, [sp, #144]\n"
#define RESTORE                                                                                    \
    "  ldp x19, x20, [sp]\n  ldp x21, x22, [sp, #16]\n  ldp x23, x24, [sp, #32]\n"                 \
    "  ldp x25, x26, [sp, #48]\n  ldp x27, x28, [sp, #64]\n  ldp x29, x30, [sp, #80]\n"            \
    "  ldp d8, d9, [sp, #96]\n  ldp d10, d11, [sp, #112]\n  ldp d12, d13, [sp, #128]\n"            \
    "  ldp d14, d15, [sp, #144]\n"                                                                 \
    "  add sp, sp, #160\n"                                                                         \
    "  ret\n"

__asm__(".text\n"
        ".globl cpu_switch\n.hidden cpu_switch\n.type cpu_switch,@function\n"
        "cpu_switch:\n" SAVE "  mov x9, sp\n  str x9, [x0]\n  mov sp, x1\n  mov x0, x2\n" RESTORE
        ".size cpu_switch, .-cpu_switch\n"
        ".globl cpu_escape\n.hidden cpu_escape\n.type cpu_escape,@function\n"
        "cpu_escape:\n  mov sp, x0\n  mov x0, x1\n" RESTORE
        ".size cpu_escape, .-cpu_escape\n"
        ".globl cpu_guarded\n.hidden cpu_guarded\n.type cpu_guarded,@function\n"
        "cpu_guarded:\n" SAVE "  mov x19, sp\n  str x19, [x0]\n  mov sp, x3\n  mov x0, x2\n"
        "  blr x1\n  mov sp, x19\n" RESTORE
        ".size cpu_guarded, .-cpu_guarded\n");

void *cpu_context(void *top, void (*entry)(void)) {
    uintptr_t sp = ((uintptr_t)top & ~(uintptr_t)15) - 160;
    memset((void *)sp, 0, 160);
    memcpy((void *)(sp + 88), &entry, sizeof entry); /* x30, the return address */
    return (void *)sp;
}

#else
#error "pinfold runs on x86-64 and aarch64; host/cpu/context.c needs the switch for this machine"
#endif
