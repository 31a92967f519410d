/* host.h -- containers inside of programs: ELF executables, shared libraries and objects, static
 * libraries of them, and by their magic alone those in PE and Mach-O files. */
#ifndef PTX_INPUT_CONTAINER_HOST_H
#define PTX_INPUT_CONTAINER_HOST_H

#include "input/container/fatbin.h"

/* Sections .nv_fatbin and __nv_relfatbin of an ELF file or of the objects in an archive; in a file
 * without sections, and where the build has no libelf, every byte is looked at. */
ptxlint_status ptx_host_scan(const ByteSource *source, const FatbinVisitor *visitor);

#endif
