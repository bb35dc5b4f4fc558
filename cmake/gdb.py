# SPDX-License-Identifier: Apache-2.0
"""Prints arrays, expressions, plans and indices of Tessera in gdb: `source ~/tessera/share/tessera/gdb.py`.

    (gdb) print anomaly
    $1 = subtract(array<double, 2>, mean(array<double, 2>)) of double, shape (365, 721)
    (gdb) print m
    $2 = ndarray<double, 2> of shape (2, 2) = {elements = {{1, 0}, {0, 1}}}
    (gdb) print p
    $3 = plan of stored<double, 2>, mean(array<double, 2>)
"""

import re

import gdb
import gdb.printing
import gdb.types


def name_of(type_):
    """Returns the name of a type without its namespaces and template arguments."""
    name = str(type_.strip_typedefs().unqualified())
    return re.sub(r"^([\w:]*::)?(\w+).*", r"\2", name, flags=re.DOTALL)


def integers_of(array):
    """Returns the integers of a std::array."""
    elements = array["_M_elems"]
    type_ = elements.type.strip_typedefs()
    if type_.code != gdb.TYPE_CODE_ARRAY:  # an array without elements is a struct
        return []
    return [int(elements[i]) for i in range(type_.range()[1] + 1)]


def tuple_text(values):
    return f"({', '.join(map(str, values))}{',' if len(values) == 1 else ''})"


def pointed_to(shared):
    """Returns the object of a std::shared_ptr."""
    return shared["_M_ptr"].dereference()


def state_of(shared):
    """Returns the object of a shared_state<T>."""
    type_ = shared.type.strip_typedefs().template_argument(0)
    return shared["object_"]["object_"]["_M_ptr"].cast(type_.const().pointer()).dereference()


def index_text(indices):
    """Returns the text of an index_vector."""
    size = int(indices["size_"])
    inside = integers_of(indices["inside_"])
    return tuple_text(inside[:size]) if size <= len(inside) else f"({size} indices)"


def layout_text(layout):
    return f"shape {index_text(layout['shape'])}, chunks {index_text(layout['chunks'])}"


def function_name(op):
    """Returns the name of the function of an expression, or of the fold of a reduction."""
    name = name_of(op)
    return name_of(op.template_argument(0)) if name == "reduce" else name


def expression_text(type_, value):
    """Returns the text of an operand: a function of its own operands, an array, a number.

    The value is None where gdb knows the type alone.
    """
    type_ = type_.strip_typedefs().unqualified()
    kind = name_of(type_)
    if kind == "scalar":
        return "_" if value is None else str(value["value"])
    if kind != "expression":
        return f"{kind}<{type_.template_argument(0)}, {int(type_.template_argument(1))}>"
    # The tuple of operands has a base ebo<number, operand> for each.
    holder = type_["operands_"].type["storage_"].type.fields()[0]
    held = None if value is None else value["operands_"]["storage_"][holder]
    operands = []
    for base in holder.type.fields():
        has_data = held is not None and gdb.types.has_field(base.type, "data_")
        operands.append(expression_text(base.type.template_argument(1),
                                        held[base]["data_"] if has_data else None))
    return f"{function_name(type_.template_argument(0))}({', '.join(operands)})"


def dtype_text(type_):
    """Returns the element type of an expression, which is told by its base."""
    return str(type_.fields()[0].type.template_argument(1).strip_typedefs())


class LazyPrinter:
    """Prints a lazy array or an expression: how it is computed, and its layout."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        type_ = self.value.type.strip_typedefs().unqualified()
        if name_of(type_) == "expression":
            layout = state_of(self.value["layout_"])
        else:
            layout = state_of(self.value["shown_"])["layout"]
        return f"{expression_text(type_, self.value)} of {dtype_text(type_)}, {layout_text(layout)}"


def template_arguments(type_):
    """Returns all arguments of a template."""
    found = []
    while True:
        try:
            found.append(type_.template_argument(len(found)))
        except RuntimeError:
            return found


def result_text(type_):
    """Returns the text of a result that a plan is asked for."""
    type_ = type_.strip_typedefs().unqualified()
    kind = name_of(type_).removesuffix("_expression")
    if kind == "expression":
        return expression_text(type_, None)
    arguments = ", ".join(map(str, template_arguments(type_)))
    return f"{kind}<{arguments}>" if arguments else kind


class PlanPrinter:
    """Prints a plan: its results. The operations are inside of the library, whose types a debugger
    does not know; `call std::puts(p.bounded().to_string().c_str())` prints them in a running program."""

    def __init__(self, value):
        self.type = value.type.strip_typedefs().unqualified()

    def to_string(self):
        results = ", ".join(map(result_text, template_arguments(self.type)))
        return f"plan of {results}" if results else "plan from a file"


class ArrayPrinter:
    """Prints a computed array: its shape, and its elements in rows."""

    def __init__(self, value):
        self.value = value
        self.element = value.type.strip_typedefs().template_argument(0)
        self.shape = integers_of(value["shape_"])

    def to_string(self):
        return (f"{name_of(self.value.type)}<{self.element}, {len(self.shape)}> of shape "
                f"{tuple_text(self.shape)}")

    def children(self):
        if 0 in self.shape or name_of(self.value.type) != "ndarray":
            return
        rows = self.element
        for extent in reversed(self.shape):
            rows = rows.array(extent - 1)
        first = self.value["data_"]["_M_ptr"]
        yield "elements", first.cast(rows.pointer()).dereference()


class IndicesPrinter:
    """Prints an index_vector: `(2, 3)`."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        return index_text(self.value)


class ListPrinter:
    """Prints a list of indices: `index({3, 1, 1})`."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        vector = pointed_to(self.value["values_"])["_M_impl"]
        first = vector["_M_start"]
        values = [str(first[i]) for i in range(int(vector["_M_finish"] - first))]
        return f"index({{{', '.join(values)}}})"


def printers():
    found = gdb.printing.RegexpCollectionPrettyPrinter("tessera")
    found.add_printer("array", r"^tessera::array<.*>$", LazyPrinter)
    found.add_printer("expression", r"^tessera::expression<.*>$", LazyPrinter)
    found.add_printer("plan", r"^tessera::plan<.*>$", PlanPrinter)
    found.add_printer("ndarray", r"^tessera::ndarray(_view)?<.*>$", ArrayPrinter)
    found.add_printer("index_vector", r"^tessera::index_vector$", IndicesPrinter)
    found.add_printer("index_list", r"^tessera::index_list$", ListPrinter)
    return found


gdb.printing.register_pretty_printer(gdb.current_objfile(), printers(), replace=True)
