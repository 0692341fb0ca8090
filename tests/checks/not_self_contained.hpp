// Planted fault of the header check: std::string without <string>, so it must not compile alone.
#ifndef DPX_TESTS_CHECKS_NOT_SELF_CONTAINED_HPP
#define DPX_TESTS_CHECKS_NOT_SELF_CONTAINED_HPP
std::string name();
#endif
