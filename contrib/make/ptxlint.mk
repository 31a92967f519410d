# ptxlint.mk -- checks CUDA sources: `include ptxlint.mk` after PTXLINT_SOURCES := a.cu b.cu, then `make ptxlint`.
PTXLINT ?= ptxlint
NVCC ?= nvcc
PTXLINT_ARCH ?= compute_90
PTXLINT_DIR ?= build/ptx
PTXLINT_FLAGS ?= --preset ci

ptxlint_ptx := $(PTXLINT_SOURCES:%.cu=$(PTXLINT_DIR)/%.ptx)

$(PTXLINT_DIR)/%.ptx: %.cu
	@mkdir -p $(@D)
	$(NVCC) -ptx -lineinfo -arch=$(PTXLINT_ARCH) $(NVCCFLAGS) -MD -MF $@.d -o $@ $<

.PHONY: ptxlint
ptxlint: $(ptxlint_ptx)
	$(PTXLINT) --primary source $(PTXLINT_FLAGS) $^

-include $(ptxlint_ptx:=.d)
