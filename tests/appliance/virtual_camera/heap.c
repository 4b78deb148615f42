/* Answers for /dev/dma_heap: memory files in place of DMA buffers, on a kernel without dma-heap or udmabuf. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ALLOCATE 0xc0184800ul /* DMA_HEAP_IOCTL_ALLOC */
#define MOST 4096
struct allocation { uint64_t length; uint32_t fd, fd_flags; uint64_t heap_flags; };
static char is_heap[MOST];

static int opened(const char *path, int flags, mode_t mode) {
    if (strncmp(path, "/dev/dma_heap/", 14)) return syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    int fd = memfd_create("heap", 0);
    if (fd >= 0 && fd < MOST) is_heap[fd] = 1;
    return fd;
}

#define OPENS(name) int name(const char *path, int flags, ...) { \
    va_list more; va_start(more, flags); mode_t mode = va_arg(more, mode_t); va_end(more); \
    return opened(path, flags, mode); }
OPENS(open)
OPENS(open64)

int close(int fd) {
    if (fd >= 0 && fd < MOST) is_heap[fd] = 0;
    return syscall(SYS_close, fd);
}

int ioctl(int fd, unsigned long request, ...) {
    va_list more; va_start(more, request); void *data = va_arg(more, void *); va_end(more);
    if ((request >> 8 & 0xff) == 'b') return 0; /* names and synchronises a DMA buffer: there is nothing to do */
    if (request != ALLOCATE || fd < 0 || fd >= MOST || !is_heap[fd]) return syscall(SYS_ioctl, fd, request, data);
    struct allocation *wanted = data;
    int made = memfd_create("buffer", MFD_ALLOW_SEALING);
    if (made < 0 || ftruncate(made, wanted->length)) return -1;
    wanted->fd = made;
    return 0;
}
