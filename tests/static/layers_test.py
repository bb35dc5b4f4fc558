# SPDX-License-Identifier: Apache-2.0
"""Plants includes in an otherwise empty tree and expects layers.py to find the bad ones."""

import pathlib
import tempfile
import unittest

import layers


class Layers(unittest.TestCase):
    def problems_of(self, path, *lines):
        with tempfile.TemporaryDirectory() as directory:
            file = pathlib.Path(directory, path)
            file.parent.mkdir(parents=True)
            file.write_text("\n".join(lines) + "\n")
            return layers.problems(directory)

    def assert_good(self, path, line):
        self.assertEqual(self.problems_of(path, line), [])

    def assert_bad(self, path, line, reason):
        found = self.problems_of(path, "// first line", line)
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith(f"{path}:2: "), found[0])
        self.assertIn(reason, found[0])

    def test_a_lower_layer_may_be_included(self):
        self.assert_good("include/tessera/plan/a.hpp", '#include "tessera/kernel/b.hpp"')
        self.assert_good("lib/zarr/a.cpp", '#include "tessera/codec/b.hpp"')
        self.assert_good("include/tessera/tessera.hpp", '#include "tessera/array/b.hpp"')

    def test_a_folder_may_include_itself(self):
        self.assert_good("include/tessera/core/a.hpp", '#include "tessera/core/b.hpp"')
        self.assert_good("lib/plan/a.cpp", '#include "graph.hpp"')
        self.assert_good("lib/plan/a.cpp", '#include "plan/graph.hpp"')

    def test_a_higher_layer_may_not_be_included(self):
        self.assert_bad("include/tessera/core/a.hpp", '#include "tessera/plan/b.hpp"', "nothing")
        self.assert_bad("lib/store/a.cpp", '#  include "tessera/zarr/b.hpp"', "not zarr/")
        self.assert_bad("lib/core/a.cpp", '#include "tessera/tessera.hpp"', "not root/")

    def test_a_private_header_of_another_folder_may_not_be_included(self):
        self.assert_bad("lib/kernel/a.cpp", '#include "plan/graph.hpp"', "private")
        self.assert_bad("lib/plan/a.cpp", '#include "core/cgroup_limit.hpp"', "private")

    def test_headers_of_an_api_folder_are_for_those_above_it(self):
        self.assert_good("lib/plan/a.cpp", '#include "primitive/api/build.hpp"')
        self.assert_bad("lib/kernel/a.cpp", '#include "primitive/api/build.hpp"', "private")

    def test_the_planner_names_no_primitive(self):
        self.assert_good("lib/plan/a.cpp", '#include "tessera/primitive/primitive.hpp"')
        self.assert_bad("lib/plan/a.cpp", '#include "primitive/api/strips.hpp"', "no primitive")
        self.assert_bad("lib/plan/a.cpp", '#include "primitive/composition/composition.hpp"', "no primitive")

    def test_functions_of_arrays_name_a_format_in_its_folder_alone(self):
        self.assert_good("lib/array/zarr/a.cpp", '#include "tessera/zarr/zarr_array.hpp"')
        self.assert_good("lib/array/zarr/a.cpp", '#include "zarr/api/node_location.hpp"')
        self.assert_good("lib/array/a.cpp", '#include "tessera/storage/stored_array.hpp"')
        self.assert_bad("lib/array/a.cpp", '#include "zarr/api/node_location.hpp"', "array/zarr/ alone")
        self.assert_bad("include/tessera/labelled/a.hpp", '#include "tessera/zarr/zarr_array.hpp"',
                        "labelled/zarr/ alone")

    def test_commands_of_the_program_name_no_format(self):
        self.assert_good("lib/tool/copy_target.cpp", '#include "zarr/api/hierarchy.hpp"')
        self.assert_good("lib/tool/copy.cpp", '#include "tessera/storage/stored_array.hpp"')
        self.assert_bad("lib/tool/copy.cpp", '#include "tessera/zarr/zarr_group.hpp"', "names no format")
        self.assert_bad("lib/tool/main.cpp", '#include "zarr/api/hierarchy.hpp"', "names no format")

    def test_a_folder_of_lib_alone_is_for_those_above_it(self):
        self.assert_good("lib/plan/a.cpp", '#include "json/fields.hpp"')
        self.assert_good("lib/json/a.cpp", '#include "json/fields.hpp"')
        self.assert_good("lib/codec/a.cpp", '#include "json/values.hpp"')
        self.assert_bad("lib/kernel/a.cpp", '#include "json/fields.hpp"', "json/ is above kernel/")
        self.assert_bad("lib/json/a.cpp", '#include "tessera/plan/a.hpp"', "not plan/")

    def test_json_is_parsed_in_one_room(self):
        self.assert_good("lib/json/a.cpp", "json value = json::parse(text);")
        self.assert_good("lib/plan/a.cpp", "json value = fields::parse(text);")
        self.assert_bad("lib/plan/a.cpp", "json value = json::parse(text);", "lib/json alone")
        self.assert_bad("lib/task/a.cpp", "auto value = nlohmann::json::parse(text);", "lib/json alone")

    def test_an_engine_may_not_include_another(self):
        self.assert_good("lib/executor/slurm/a.cpp", '#include "executor/slurm/commands.hpp"')
        self.assert_good("lib/executor/slurm/a.cpp", '#include "executor/descriptor.hpp"')
        self.assert_bad("lib/executor/slurm/a.cpp", '#include "executor/mpi/leader.hpp"', "mpi/")
        self.assert_good("lib/executor/slurm/a.cpp", '#include "executor/array/session.hpp"')
        self.assert_bad("lib/executor/array/a.cpp", '#include "executor/mpi/leader.hpp"', "mpi/")
        self.assert_bad("lib/executor/a.cpp", '#include "executor/processes/a.hpp"', "processes/")

    def test_systems_in_the_engine_of_any_system(self):
        self.assert_good("lib/executor/array/a.cpp", "// The system starts elements once more.")
        self.assert_good("lib/executor/slurm/a.cpp", "// Slurm starts elements once more.")
        for line in ("// Slurm starts them.", 'getenv("SLURM_JOB_ID");', 'run("qsub");'):
            self.assert_bad("lib/executor/array/a.cpp", line, "names no system")

    def test_plans_schedulers_and_tasks_name_no_storage(self):
        self.assert_bad("lib/task/a.cpp", "zarr_array opened;", "no storage")
        self.assert_bad("include/tessera/plan/a.hpp", "std::string path;", "no storage")
        self.assert_bad("lib/scheduler/a.cpp", "#include <filesystem>", "no storage")
        self.assert_bad("lib/plan/save.cpp", "std::filesystem::remove(path);", "no storage")
        self.assert_good("lib/plan/save.cpp", "void save(const std::string& path);")
        self.assert_good("lib/task/a.cpp", "int n;  // of a Zarr array at a path")
        self.assert_good("lib/scheduler/a.cpp", 'kind_of<zarr_error>("zarr_error");')
        self.assert_good("lib/array/a.cpp", "zarr_array opened;")

    def test_documents_are_named_in_the_room_of_their_format_alone(self):
        self.assert_good("lib/zarr/v2/a.cpp", 'auto key = ".zarray";')
        self.assert_good("lib/zarr/v3/a.cpp", 'auto key = "zarr.json";')
        self.assert_good("lib/tool/a.cpp", "int n;  // of \".zarray\"")
        self.assert_good("lib/tool/a.cpp", 'open("era5.zarr");')
        for name in (".zarray", ".zattrs", ".zgroup", ".zmetadata"):
            self.assert_bad("lib/zarr/a.cpp", f'exists("{name}");', "only zarr/v2")
        self.assert_bad("lib/zarr/v3/a.cpp", 'exists(".zgroup");', "only zarr/v2")
        self.assert_bad("lib/tool/a.cpp", 'throw error("it has no .zarray");', "only zarr/v2")
        self.assert_bad("include/tessera/zarr/a.hpp", 'f("a/zarr.json");', "only zarr/v3")
        self.assert_bad("lib/zarr/v2/a.cpp", 'f("zarr.json");', "only zarr/v3")

    def test_kernels_name_no_function(self):
        self.assert_bad("include/tessera/kernel/a.hpp", "op::add{}.value(a, b);", "no function")
        self.assert_bad("lib/plan/a.cpp", "using tag = tessera::op::sum;", "no function")
        self.assert_good("include/tessera/kernel/a.hpp", "op.value(a, b);  // of op::add")
        self.assert_good("include/tessera/meta/a.hpp", "op::dtype_rule rule;")
        self.assert_good("include/tessera/function/a.hpp", "op::add{}.value(a, b);")

    def test_lowering_knows_no_function_but_conversion(self):
        self.assert_good("include/tessera/lower/a.hpp", '#include "tessera/function/conversion.hpp"')
        self.assert_bad(
            "include/tessera/lower/a.hpp", '#include "tessera/function/sums.hpp"', "conversion")

    def test_third_parties_are_kept_in_their_places(self):
        self.assert_good("include/tessera/meta/a.hpp", "#include <boost/hana/tuple.hpp>")
        self.assert_bad("include/tessera/plan/a.hpp", "#include <boost/hana.hpp>", "*/meta")
        self.assert_good("include/tessera/kernel/a.hpp", "#include <Eigen/Core>")
        self.assert_bad("include/tessera/lower/a.hpp", "#include <Eigen/Core>", "*/kernel")
        self.assert_good("lib/plan/a.cpp", "#include <boost/graph/adjacency_list.hpp>")
        self.assert_bad(
            "include/tessera/plan/a.hpp", "#include <boost/graph/adjacency_list.hpp>", "lib/plan")
        self.assert_good("lib/codec/a.cpp", "#include <blosc.h>")
        self.assert_bad("lib/zarr/a.cpp", "#include <blosc.h>", "lib/codec")
        self.assert_good("lib/zarr/a.cpp", "#include <nlohmann/json.hpp>")
        self.assert_bad("include/tessera/zarr/a.hpp", "#include <nlohmann/json.hpp>", "lib/json")
        self.assert_bad("lib/store/a.cpp", "#include <nlohmann/json.hpp>", "lib/json")
        self.assert_good("lib/executor/a.cpp", "#include <tbb/task_arena.h>")
        self.assert_bad("lib/plan/a.cpp", "#include <tbb/task_arena.h>", "lib/executor")
        self.assert_bad("lib/plan/a.cpp", "#include <mpi.h>", "*/executor")
        self.assert_good("lib/store/http/a.cpp", "#include <curl/curl.h>")
        self.assert_bad("lib/zarr/a.cpp", "#include <curl/curl.h>", "lib/store/http")
        self.assert_bad("lib/store/a.cpp", "#include <curl/curl.h>", "lib/store/http")
        self.assert_good("lib/store/s3/a.cpp", "#include <openssl/evp.h>")
        self.assert_bad("lib/store/http/a.cpp", "#include <openssl/evp.h>", "lib/store/s3")
        self.assert_bad("lib/store/a.cpp", "#include <pugixml.hpp>", "lib/store/s3")
        self.assert_good("include/tessera/testing/a.hpp", "#include <gtest/gtest.h>")
        self.assert_bad("lib/testing/a.cpp", "#include <gtest/gtest.h>", "include/testing")
        self.assert_bad("include/tessera/array/a.hpp", "#include <Random123/philox.h>", "*/kernel")

    def test_a_third_party_that_nobody_agreed_on_is_found(self):
        self.assert_bad("lib/plan/a.cpp", "#include <boost/asio.hpp>", "not in the design")

    def test_system_headers_stay_behind_the_compiled_boundary(self):
        self.assert_good("lib/store/a.cpp", "#include <sys/stat.h>")
        self.assert_bad("include/tessera/store/a.hpp", "#include <unistd.h>", "in lib/")

    def test_standard_headers_are_good_except_iostream_in_public(self):
        self.assert_good("include/tessera/core/a.hpp", "#include <vector>")
        self.assert_bad("include/tessera/core/a.hpp", "#include <iostream>", "<iosfwd>")

    def test_a_header_that_no_public_header_includes_is_found(self):
        with tempfile.TemporaryDirectory() as root:
            folder = pathlib.Path(root, "include/tessera/core")
            folder.mkdir(parents=True)
            (folder.parent / "tessera.hpp").write_text('#include "tessera/core/a.hpp"\n')
            (folder / "a.hpp").write_text('#include "tessera/core/b.hpp"\n')
            (folder / "b.hpp").write_text("")
            self.assertEqual(layers.hidden_headers(root), [])
            (folder / "c.hpp").write_text("")
            self.assertIn("lib/core/api", layers.hidden_headers(root)[0])

    def test_a_folder_outside_the_table_is_found(self):
        self.assertIn("no folder util/", self.problems_of("lib/util/a.cpp", "")[0])


if __name__ == "__main__":
    unittest.main()
