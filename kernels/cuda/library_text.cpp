#include "kernels/cuda/library_text.hpp"

#include <link.h>

#include <cstring>
#include <string_view>

namespace dpx::cuda {
namespace {

struct Search {
  const char* address;
  std::string_view text;  ///< with the zero byte
  bool found = false;
};

/// One loaded segment of a library.
std::string_view segment_of(const dl_phdr_info& library, const ElfW(Phdr) & header) {
  return {reinterpret_cast<const char*>(library.dlpi_addr + header.p_vaddr), header.p_memsz};
}

int look(dl_phdr_info* library, std::size_t, void* data) {
  Search& search = *static_cast<Search*>(data);
  bool owns = false;
  for (int i = 0; i < library->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = library->dlpi_phdr[i];
    const std::string_view segment = segment_of(*library, header);
    owns = owns || (header.p_type == PT_LOAD && search.address >= segment.data() &&
                    search.address < segment.data() + segment.size());
  }
  if (!owns) return 0;
  for (int i = 0; i < library->dlpi_phnum && !search.found; ++i) {
    const ElfW(Phdr)& header = library->dlpi_phdr[i];
    if (header.p_type != PT_LOAD || (header.p_flags & (PF_R | PF_W)) != PF_R) continue;
    const std::string_view segment = segment_of(*library, header);
    search.found = memmem(segment.data(), segment.size(), search.text.data(), search.text.size()) != nullptr;
  }
  return 1;  // it can lie in one library only
}

}  // namespace

bool library_holds(const void* address, const std::string& text) {
  Search search{static_cast<const char*>(address), {text.c_str(), text.size() + 1}};
  dl_iterate_phdr(look, &search);
  return search.found;
}

}  // namespace dpx::cuda
