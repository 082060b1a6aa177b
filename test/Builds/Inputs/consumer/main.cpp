#include <fromManifest.h>
#include <listed.h>

int main() { return transpose_info.rank != 2 || planes_info.rank != 3; }
