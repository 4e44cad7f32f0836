// Helper, permit_tiles: asks the processor whether it has AMX tiles for bf16, and Linux for the permission to use them.
//
// It runs on the device, since only there it is certain that the kernels' own processor and process answer. Each question is
// only asked where the one before was answered by yes, so that it fails on no processor:
//   1. CPUID, which every x86-64 processor has: are there tiles and instructions for bf16, and does the operating system
//      let programs ask what it saves (OSXSAVE)?
//   2. XGETBV: does it save tiles when threads change?
//   3. arch_prctl(ARCH_REQ_XCOMP_PERM, 18): may this process use them? Without that, the first instruction would end it. It holds
//      for all threads, those that run already among them.
//
// answer[0] becomes 1 if the processor and the operating system have tiles, else 0; answer[1] becomes 0 if the process may
// use them, else what Linux says, an error's number made negative, or 1 if it was not asked.
//
// Source: our own, after Intel's "64 and IA-32 Architectures Software Developer's Manual", volume 1, chapter 18, and Linux's
// Documentation/arch/x86/xstate.rst.
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void permit_tiles(global long* answer)
{
    bool are_there = false;
    long permission = 1;
#if defined(__x86_64__) && defined(__linux__)
    uint a = 0, b, c = 0, d;
    __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
    const uint last_leaf = a;
    a = 1;
    c = 0;
    __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
    const bool has_xgetbv = c >> 27 & 1;
    if (last_leaf >= 7 && has_xgetbv) {
        a = 7;
        c = 0;
        __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
        const bool has_tiles = (d >> 24 & 1) && (d >> 22 & 1); // AMX-TILE and AMX-BF16
        uint saved, saved_high;
        __asm__ volatile("xgetbv" : "=a"(saved), "=d"(saved_high) : "c"(0));
        are_there = has_tiles && (saved >> 17 & 3) == 3;
    }
    if (are_there) {
        permission = 158; // arch_prctl
        __asm__ volatile("syscall" : "+a"(permission) : "D"(0x1023L), "S"(18L) : "rcx", "r11", "memory");
    }
#endif
    answer[0] = are_there;
    answer[1] = permission;
}
