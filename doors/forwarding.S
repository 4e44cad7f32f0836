/* The symbols that forwarding.hpp speaks of, for the routines that the file CLGEMM_DOOR_NAMES lists.
 *
 * Each is a jump to the address that the routine's record holds. At first that is `first_call`, below, with the record in a
 * register that carries no argument: it puts all registers that may carry arguments aside (those on the stack stay where
 * they are), asks clgemm_door_resolve() for the real routine's address, which that also writes to the record, puts the
 * registers back, and jumps there. The dynamic linker binds a program's own calls in the same way. */

/* The record: address, name, what to do without the real routine. */
.macro record symbol, if_missing
    .section .rodata.str1.1, "aMS", %progbits, 1
.Lname_\symbol:
    .asciz "\symbol"
    .section .data.forwarded, "aw", %progbits
    .balign 8
.Lrecord_\symbol:
    .quad .Lfirst_\symbol, .Lname_\symbol, \if_missing
.endm

.macro begin symbol
    .text
    .balign 16
    .globl \symbol
    .type \symbol, %function
\symbol:
    .cfi_startproc
.endm

.macro end symbol
    .cfi_endproc
    .size \symbol, . - \symbol
.endm

.hidden clgemm_door_resolve, clgemm_door_not_implemented, clgemm_door_no_handle

#if defined(__x86_64__) && defined(__LP64__)

.macro forward symbol, if_missing
    record \symbol, \if_missing
    begin \symbol
    endbr64
    jmp *.Lrecord_\symbol(%rip)
.Lfirst_\symbol:
    endbr64
    lea .Lrecord_\symbol(%rip), %r11
    jmp .Lfirst_call
    end \symbol
.endm

    .text
.Lfirst_call: /* r11: the record */
    .cfi_startproc
    push %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    mov %rsp, %rbp
    .cfi_def_cfa_register %rbp
    sub $192, %rsp
    movups %xmm0, (%rsp)
    movups %xmm1, 16(%rsp)
    movups %xmm2, 32(%rsp)
    movups %xmm3, 48(%rsp)
    movups %xmm4, 64(%rsp)
    movups %xmm5, 80(%rsp)
    movups %xmm6, 96(%rsp)
    movups %xmm7, 112(%rsp)
    mov %rdi, 128(%rsp)
    mov %rsi, 136(%rsp)
    mov %rdx, 144(%rsp)
    mov %rcx, 152(%rsp)
    mov %r8, 160(%rsp)
    mov %r9, 168(%rsp)
    mov %rax, 176(%rsp)
    mov %r11, %rdi
    call clgemm_door_resolve
    mov %rax, %r11
    movups (%rsp), %xmm0
    movups 16(%rsp), %xmm1
    movups 32(%rsp), %xmm2
    movups 48(%rsp), %xmm3
    movups 64(%rsp), %xmm4
    movups 80(%rsp), %xmm5
    movups 96(%rsp), %xmm6
    movups 112(%rsp), %xmm7
    mov 128(%rsp), %rdi
    mov 136(%rsp), %rsi
    mov 144(%rsp), %rdx
    mov 152(%rsp), %rcx
    mov 160(%rsp), %r8
    mov 168(%rsp), %r9
    mov 176(%rsp), %rax
    leave
    .cfi_def_cfa %rsp, 8
    jmp *%r11
    .cfi_endproc

#elif defined(__aarch64__)

.macro forward symbol, if_missing
    record \symbol, \if_missing
    begin \symbol
    hint #34 /* bti c */
    adrp x16, .Lrecord_\symbol
    ldr x16, [x16, :lo12:.Lrecord_\symbol]
    br x16
.Lfirst_\symbol:
    hint #34
    adrp x17, .Lrecord_\symbol
    add x17, x17, :lo12:.Lrecord_\symbol
    b .Lfirst_call
    end \symbol
.endm

    .text
.Lfirst_call: /* x17: the record */
    .cfi_startproc
    stp x29, x30, [sp, #-224]!
    .cfi_def_cfa_offset 224
    .cfi_offset x29, -224
    .cfi_offset x30, -216
    stp q0, q1, [sp, #16]
    stp q2, q3, [sp, #48]
    stp q4, q5, [sp, #80]
    stp q6, q7, [sp, #112]
    stp x0, x1, [sp, #144]
    stp x2, x3, [sp, #160]
    stp x4, x5, [sp, #176]
    stp x6, x7, [sp, #192]
    str x8, [sp, #208] /* where a result goes that fits no register */
    mov x0, x17
    bl clgemm_door_resolve
    mov x16, x0
    ldp q0, q1, [sp, #16]
    ldp q2, q3, [sp, #48]
    ldp q4, q5, [sp, #80]
    ldp q6, q7, [sp, #112]
    ldp x0, x1, [sp, #144]
    ldp x2, x3, [sp, #160]
    ldp x4, x5, [sp, #176]
    ldp x6, x7, [sp, #192]
    ldr x8, [sp, #208]
    ldp x29, x30, [sp], #224
    .cfi_def_cfa_offset 0
    .cfi_restore x29
    .cfi_restore x30
    br x16
    .cfi_endproc

#else
#error "The doors do not know this processor; build without them: CLGEMM_BUILD_DOORS=OFF"
#endif

#define FORWARD(symbol) forward symbol, clgemm_door_not_implemented
#define FORWARD_HANDLE(symbol) forward symbol, clgemm_door_no_handle
#define FORWARD_OR(symbol, ours) forward symbol, ours
#include CLGEMM_DOOR_NAMES

    .section .note.GNU-stack, "", %progbits
