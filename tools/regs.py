#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Register maps: one description, and from it RTL, the constants of the host, and a page of the book.

usage: regs.py [--check] [FILE.rdl ...]

Without files every cores/*/regs/*.rdl is taken. `cores/NAME/regs/NAME.rdl` (SystemRDL) gives

    cores/NAME/rtl/NAME_regs.sv        AXI4-Lite slave with the registers that are stored (PeakRDL-regblock)
    cores/NAME/rtl/NAME_regs_pkg.sv    its ports, and where the words of external blocks are
    crates/wire/src/NAME/regs.rs       offsets, fields, enumerations
    docs/src/NAME-registers.md         the tables

The results are kept in the repository. `--check` writes nothing and says which of them is not what the description gives.
Ports are renamed to the style of this repository, and what PeakRDL leaves for a linter to complain about is written in
another way (see `tidy`), so that no lint rule has to be waived for the result.

Limits: byte addresses below 4 GB, registers of 32 or 64 bits, one level of arrays, external blocks of a power of two.
"""

from __future__ import annotations

import argparse
import itertools
import re
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from pathlib import Path

from common import ROOT, fail, tool, tool_env
from lint import FORMAT
from peakrdl_regblock import RegblockExporter
from peakrdl_regblock.cpuif.axi4lite import AXI4Lite_Cpuif_flattened
from peakrdl_regblock.udps import ALL_UDPS
from systemrdl import RDLCompileError, RDLCompiler
from systemrdl.node import AddressableNode, AddrmapNode, FieldNode, RegfileNode, RegNode

SPDX = "SPDX-License-Identifier: Apache-2.0"
# Ports in the style of this repository, and names that let lines stay below 100 characters.
RENAMED = {
    "clk": "clk_i",
    "rst": "rst_i",
    "hwif_in": "hwif_i",
    "hwif_out": "hwif_o",
    "cpuif_req_masked": "accepted",
    "decoded_reg_strb": "strobe",
    "decoded_wr_data": "wr_data",
    "decoded_wr_biten": "wr_biten",
    "decoded_req_is_external": "req_is_external",
    "field_storage": "stored",
}


def shown(path: Path) -> str:
    """A path as it is written in messages and in generated files."""
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


def compiled(source: Path) -> AddrmapNode:
    """The elaborated description; a mistake in it ends the program with the compiler's own words."""
    compiler = RDLCompiler()
    for extension in ALL_UDPS:
        compiler.register_udp(extension)
    try:
        compiler.compile_file(str(source))
        return compiler.elaborate().top
    except RDLCompileError:
        fail(f"{shown(source)} is not a valid description, see above", 1)


# --- what the writers share ---


def prose(node: AddressableNode | FieldNode) -> str:
    """The description of a node in one line."""
    text = " ".join((node.get_property("desc") or "").split())
    if not text:
        fail(f"{node.get_path()} has no description", 1)
    return text


def title(node: AddressableNode) -> str:
    """Its short name."""
    return node.get_property("name", default=node.inst_name)


def access(node: RegNode) -> str:
    """What software may do: one of "read only", "write only", "read, write"."""
    if node.has_sw_writable:
        return "read, write" if node.has_sw_readable else "write only"
    return "read only"


def field_access(field: FieldNode) -> str:
    """The same for a field, with what a write does if that is not simply to store."""
    if field.get_property("singlepulse"):
        return "acts once"
    if field.get_property("woclr"):
        return "read, one clears"
    if field.is_sw_writable:
        return "read, write" if field.is_sw_readable else "write only"
    return "read only"


def children(node: AddressableNode) -> Iterator[AddressableNode]:
    """Registers and blocks in the order of their addresses; of an array the first element stands for all."""
    for child in node.children(unroll=False):
        if isinstance(child, RegNode | RegfileNode | AddrmapNode):
            yield child


def first_address(node: AddressableNode) -> int:
    """Byte address of a node, or of the first element of an array."""
    base = first_address(node.parent) if isinstance(node.parent, RegfileNode) else 0
    return base + node.raw_address_offset


def registers(node: AddressableNode) -> Iterator[RegNode]:
    """All registers below a node."""
    for child in children(node):
        if isinstance(child, RegNode):
            yield child
        else:
            yield from registers(child)


def enums(top: AddrmapNode) -> list[type]:
    """Every enumeration that a field uses, in the order of first use."""
    found = {}
    for register in registers(top):
        for field in register.fields():
            encode = field.get_property("encode")
            if encode is not None:
                found.setdefault(encode.type_name, encode)
    return list(found.values())


def path_in(node: AddressableNode) -> list[str]:
    """Names of the blocks around a node and its own, without the map's and without indices."""
    return (
        [*path_in(node.parent), node.inst_name] if node.parent.parent.parent else [node.inst_name]
    )


def camel(name: str) -> str:
    """tx_state_e to TxState."""
    return "".join(part.capitalize() for part in name.removesuffix("_e").split("_"))


# --- SystemVerilog ---


def balanced(text: str, begin: int) -> int:
    """Where the block `{ ... }` ends that has its first brace behind `begin`."""
    depth = 0
    for at in range(text.index("{", begin), len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return at + 1
    raise ValueError("unbalanced braces")


def named(body: str, path: list[str], types: list[str]) -> str:
    """The members of a structure, those that are structures themselves by the name of a type added to `types`."""
    out, at = "", 0
    for match in re.finditer(r"\bstruct \{", body):
        if match.start() < at:
            continue
        end = balanced(body, match.start())
        name = re.match(r"\s*(\w+)", body[end:])[1]
        members = named(body[match.end() : end - 1], [*path, name], types)
        kind = "_".join([*path, name, "t"])
        types.append(f"typedef struct {{{members}}} {kind};\n")
        out += body[at : match.start()] + kind
        at = end
    return out + body[at:]


def tidy(text: str) -> str:
    """The module as PeakRDL writes it, in the style of this repository and without anything to warn of.

    * The next value of a field is a variable of its own instead of a member of one structure, which is
      driven by one process for each field.
    * An expression over the stored value uses the variable that holds it: shorter lines.
    * A structure inside a structure gets a name of its own.
    * An external block is decoded by the upper bits of its address instead of two comparisons, one of
      which is constant when the block ends where the map does.
    * Assertions go: they would fire on registers that have not been reset yet.
    * Nothing is taken under reset, which outlasts the reset pin of the bus: it would never be answered.
    * Generate loops are labelled.
    * Address bits and protection bits that have no effect are named as unused.
    """
    text = re.sub(r"\A(//.*\n)+\n*", "", text)
    for old, new in RENAMED.items():
        text = re.sub(rf"\b{old}\b", new, text)

    start = next(
        m.start()
        for m in re.finditer(r"typedef struct \{", text)
        if text[balanced(text, m.start()) :].startswith(" field_combo_t;")
    )
    end = text.index("field_combo_t field_combo;\n", start) + len("field_combo_t field_combo;\n")
    text = text[:start] + text[end:]

    # From the last one to the first, so that positions found stay what they are.
    for match in reversed(list(re.finditer(r"typedef struct \{", text))):
        begin, end = match.end(), balanced(text, match.start())
        types: list[str] = []
        kind = re.match(r"\s*(\w+)_t;", text[end:])[1]
        members = named(text[begin:end], [kind], types)
        text = (
            text[: match.start()]
            + "".join(types)
            + text[match.start() : begin]
            + members
            + text[end:]
        )

    def variables(match: re.Match[str]) -> str:
        name = re.sub(r"\W+", "_", match["path"].split(".", 1)[1])
        return f"{match['head']}logic {match['range']} {name}_next;\nlogic {name}_load;\n{match['tail']}"

    text = re.sub(
        r"(?P<head>// Field: (?P<path>\S+)\n\s*)"
        r"(?P<tail>always_comb begin\s+automatic logic (?P<range>\[\S+\]) next_c;)",
        variables,
        text,
    )

    def flat(match: re.Match[str]) -> str:
        path = re.sub(r"\[\w+\]", "", match[1]).replace(".", "_")
        return f"{path}_{'load' if match[2] == 'load_next' else 'next'}"

    text = re.sub(r"\bfield_combo\.([\w.\[\]]+)\.(next|load_next)\b", flat, text)

    # The variable holds the stored value at this point, and is shorter to write.
    text = re.sub(r"(next_c = \(?)stored\.[\w.\[\]]+( & ~)", lambda m: f"{m[1]}next_c{m[2]}", text)

    def prefix(match: re.Match[str]) -> str:
        width, base, last = int(match["width"]), int(match["base"], 16), int(match["last"], 16)
        size = last + 1
        if size & last or base % size:
            fail(
                f"an external block of {size} bytes at {base:#x} is not aligned to its own size", 1
            )
        low = last.bit_length()
        return f"({match['name']}[{width - 1}:{low}] == {width - low}'h{base >> low:x})"

    text = re.sub(
        r"\((?P<name>\w+) >= (?P<width>\d+)'h(?P<base>\w+)\) &&? "
        r"\((?P=name) <= \d+'h\w+ \+ \d+'h(?P<last>\w+)\)",
        prefix,
        text,
    )
    text = re.sub(r"\s*`ifndef SYNTHESIS.*?`endif", "", text, flags=re.DOTALL)
    # The reset of the registers outlasts the pin of the bus: what is taken under it would never be
    # answered.
    text = re.sub(r"(s_axil_(?:ar|aw|w)ready\s*=\s*)\(", r"\1!rst_i && (", text)
    loops = itertools.count()
    text = re.sub(
        r"(for ?\(genvar [^\n]*\) begin)\s*\n", lambda m: f"{m[1]} : gen_{next(loops)}\n", text
    )
    unused = (
        "logic unused;\nassign unused = "
        "^{s_axil_awprot, s_axil_arprot, axil_awaddr[1:0], axil_araddr[1:0]};\nendmodule"
    )
    text = re.sub(r"\bendmodule\b", unused, text)
    if "field_combo" in text:
        fail(
            "this version of PeakRDL-regblock writes its module in a way that tidy() does not know",
            1,
        )
    return text


def external_enums(top: AddrmapNode) -> str:
    """Byte offsets of the words inside each external block, and values of their fields, for the RTL that answers."""
    out = ""
    groups = [child for child in children(top) if child.external and not isinstance(child, RegNode)]
    for group in groups:
        groups += [child for child in children(group) if not isinstance(child, RegNode)]
        prefix = "".join(camel(name) for name in path_in(group))
        size = group.array_stride if group.is_array else group.size
        width = (size - 1).bit_length()
        out += (
            f"  // Byte offsets in {'one of ' if group.is_array else ''}{'.'.join(path_in(group))}"
        )
        if group.is_array:
            out += f", of which there are {group.n_elements}"
        out += f".\n  typedef enum logic [{width - 1}:0] {{\n"
        out += ",\n".join(
            f"    {prefix}{camel(child.inst_name)} = {width}'h{child.raw_address_offset:x}"
            for child in children(group)
        )
        out += f"\n  }} {'_'.join(path_in(group))}_offset_e;\n\n"
    encodes = {}
    for register in registers(top):
        for field in register.fields():
            encode = field.get_property("encode")
            if encode is not None and field.external:
                encodes[encode.type_name] = (encode, field.width)
    for name, (encode, width) in encodes.items():
        out += (
            f"  // Values of {name.removesuffix('_e')}.\n  typedef enum logic [{width - 1}:0] {{\n"
        )
        out += ",\n".join(f"    {camel(name)}{camel(m.name)} = {width}'d{m.value}" for m in encode)
        out += f"\n  }} {name};\n\n"
    return out


def formatted(name: str, text: str) -> str:
    """SystemVerilog in the house format."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_text(text)
        done = subprocess.run(
            [tool("verible-verilog-format"), *FORMAT, str(path)],
            env=tool_env(),
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode != 0:
        fail(f"the formatter refuses {name}: {done.stderr.strip()[:300]}", 1)
    return done.stdout


def systemverilog(top: AddrmapNode, source: Path) -> dict[str, str]:
    """Module and package, by file name."""
    module = f"{top.inst_name}_regs"
    with tempfile.TemporaryDirectory() as folder:
        try:
            RegblockExporter().export(
                top,
                folder,
                cpuif_cls=AXI4Lite_Cpuif_flattened,
                module_name=module,
                package_name=f"{module}_pkg",
                reuse_hwif_typedefs=False,
                err_if_bad_addr=True,
                err_if_bad_rw=True,
            )
        except RDLCompileError:
            fail(f"{shown(source)} asks for what PeakRDL-regblock cannot make, see above", 1)
        body = (Path(folder) / f"{module}.sv").read_text()
        package = (Path(folder) / f"{module}_pkg.sv").read_text()
    head = (
        f"// {SPDX}\n//\n// {{0}}\n//\n// Made by tools/regs.py (PeakRDL-regblock) from {shown(source)}: change that file.\n"
        "// {1}\n\n"
    )
    package = re.sub(r"\A(//.*\n)+\n*", "", package)
    package = re.sub(r"^\s*localparam \w+ = .*;\n", "", package, flags=re.MULTILINE)
    package = package.replace("\nendpackage", f"\n\n{external_enums(top)}endpackage")
    return {
        f"{module}.sv": formatted(
            f"{module}.sv",
            head.format(
                f"{module}: AXI4-Lite slave with the stored registers of {top.inst_name}.",
                f"The map is described in docs/src/{top.inst_name}-registers.md.",
            )
            + tidy(body),
        ),
        f"{module}_pkg.sv": formatted(
            f"{module}_pkg.sv",
            head.format(
                f"{module}_pkg: ports of {module}, and where the words of external blocks are.",
                "`next` is a value that software reads, `value` one that software has written.",
            )
            + package,
        ),
    }


# --- Rust ---


def comment(text: str, mark: str = "///", depth: int = 0) -> str:
    """A doc comment inside of `depth` modules, wrapped."""
    width = 96 - 4 * depth
    return "\n".join(f"{mark} {line}" for line in textwrap.wrap(text, width)) + "\n"


def rust_register(node: RegNode, path: list[str]) -> str:
    """One register: its place, then a module with its fields."""
    upper, lower = node.inst_name.upper(), node.inst_name.lower()
    fields = list(node.fields())
    kind = {"read only": "ReadOnly", "write only": "WriteOnly", "read, write": "ReadWrite"}[
        access(node)
    ]
    out = comment(f"{title(node)}. {prose(node)}", depth=len(path))
    out += (
        f'pub const {upper}: Register = Register {{ name: "{".".join([*path, lower])}", '
        f"offset: {first_address(node):#x}, width: {node.get_property('regwidth')}, access: Access::{kind}, "
        f"fields: &[{', '.join(f'{lower}::{f.inst_name.upper()}' for f in fields)}], "
        f"arrays: &[{', '.join(arrays(node))}] }};\n"
    )
    out += (
        f"/// Fields of [`{upper}`].\npub mod {lower} {{\n    use crate::regs::{{Field, Write}};\n"
    )
    for field in fields:
        encode = field.get_property("encode")
        text = prose(field)
        names = ""
        if encode is not None:
            names = f".named(crate::{path_of_map(node)}::{camel(encode.type_name)}::NAMES)"
            text += f" See [`{camel(encode.type_name)}`](crate::{path_of_map(node)}::{camel(encode.type_name)})."
        out += comment(text, depth=len(path) + 1)
        out += (
            f"pub const {field.inst_name.upper()}: Field = "
            f'Field::new("{field.inst_name}", {field.low}, {field.width}, {reset_of(field):#x}, '
            f"Write::{effect(field)}){names};\n"
        )
    return out + "}\n\n"  # fmt: skip


def arrays(node: AddressableNode) -> list[str]:
    """The arrays that a node is in, or is, outer one first."""
    own = []
    if node.is_array:
        part = len(path_in(node)) - 1
        own = [
            f"crate::regs::Array {{ part: {part}, count: {node.n_elements}, stride: {node.array_stride:#x} }}"
        ]
    outer = node.parent
    return (arrays(outer) if isinstance(outer, RegfileNode) else []) + own


def effect(field: FieldNode) -> str:
    """What a write does to a field."""
    if not field.is_sw_writable:
        return "Ignored"
    if field.get_property("singlepulse"):
        return "Acts"
    return "Clears" if field.get_property("woclr") else "Kept"


def path_of_map(node: AddressableNode) -> str:
    """Rust path of the module that holds the map."""
    return f"{node.get_path_segments()[0]}::regs"


def reset_of(field: FieldNode) -> int:
    """Value after reset; 0 for what hardware drives."""
    reset = field.get_property("reset")
    return reset if isinstance(reset, int) else 0


def rust_block(node: AddressableNode, path: list[str]) -> str:
    """A block of registers as a module."""
    out = ""
    for child in children(node):
        if isinstance(child, RegNode):
            out += rust_register(child, path)
            continue
        out += comment(f"{title(child)}. {prose(child)}", depth=len(path))
        out += f"pub mod {child.inst_name} {{\nuse crate::regs::{{Access, Register}};\n"
        if child.is_array:
            out += f"/// Number of elements.\npub const COUNT: usize = {child.n_elements};\n"
            out += f"/// Bytes from one element to the next.\npub const STRIDE: u32 = {child.array_stride:#x};\n"
        out += rust_block(child, [*path, child.inst_name]) + "}\n\n"
    return out


def rust_enum(encode: type) -> str:
    """An enumeration with its conversions."""
    name = camel(encode.type_name)
    members = list(encode)
    for member in members:
        if not member.rdl_desc:
            fail(f"{encode.type_name}::{member.name} has no description", 1)
    out = f"/// Values of `{encode.type_name.removesuffix('_e')}`.\n"
    out += "#[derive(Debug, Clone, Copy, PartialEq, Eq)]\n" + f"pub enum {name} {{\n"
    for member in members:
        out += (
            comment(" ".join(member.rdl_desc.split()), depth=1)
            + f"{camel(member.name)} = {member.value},\n"
        )
    out += "}\n\n" + f"impl {name} {{\n/// All values, smallest first.\npub const ALL: &[Self] = &["
    out += ", ".join(f"Self::{camel(m.name)}" for m in members) + "];\n"
    out += "/// Each value and its name.\npub const NAMES: &[(u64, &str)] = &["
    out += ", ".join(f'({m.value}, "{m.name}")' for m in members) + "];\n"
    out += """/// The value that a field holds; none if the description does not name it.
        pub fn from_bits(bits: u64) -> Option<Self> {
            Self::ALL.iter().copied().find(|value| *value as u64 == bits)
        }
        /// Name as in the description.
        pub const fn name(self) -> &'static str {
            match self {"""
    out += "".join(f'Self::{camel(m.name)} => "{m.name}",\n' for m in members) + "}\n}\n}\n\n"
    out += f"""impl serde::Serialize for {name} {{
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {{
            serializer.serialize_str(self.name())
        }}
    }}

    """
    return out


def rust(top: AddrmapNode, source: Path) -> str:
    """The constants of the host."""
    out = f"// {SPDX}\n"
    out += comment(f"{title(top)}: where they are and what their bits mean.", "//!")
    out += f"//!\n//! Made by `tools/regs.py` from `{shown(source)}`: change that file.\n//!\n"
    for paragraph in re.split(r"\n\s*\n", top.get_property("desc")):
        out += comment(" ".join(paragraph.split()), "//!") + "//!\n"
    out = out.removesuffix("//!\n") + "\nuse crate::regs::{Access, Map, Register};\n\n"
    out += f"/// Bytes that the map takes up.\npub const SIZE: u32 = {top.size:#x};\n\n"
    out += (
        "/// Every register; of an array the first element.\npub const REGISTERS: &[Register] = &["
    )
    for node in registers(top):
        *blocks, name = path_in(node)
        out += "::".join([*blocks, name.upper()]) + ", "
    out += "];\n\n/// The map as one value.\npub const MAP: Map = Map "
    out += f'{{ name: "{top.inst_name}", size: SIZE, registers: REGISTERS }};\n\n'
    out += "".join(rust_enum(e) for e in enums(top)) + rust_block(top, [])
    done = subprocess.run(
        ["rustfmt", "--edition", "2024", "--emit", "stdout"],
        cwd=ROOT,
        input=out,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        fail(f"rustfmt refuses the constants: {done.stderr.strip()[:500]}", 1)
    return done.stdout


# --- the book ---


def bits(field: FieldNode) -> str:
    """31..16, or 4."""
    return f"{field.high}..{field.low}" if field.width > 1 else str(field.low)


def address(node: AddressableNode) -> str:
    """Byte address; of an element of an array with its place in it."""
    owner = node.parent
    text = f"0x{first_address(node):03x}"
    return f"{text} + 0x{owner.array_stride:x} n" if owner.is_array else text


def markdown_block(node: AddressableNode, level: int) -> str:
    """Registers of a block: an overview, then those with more than one field in full."""
    own = [child for child in children(node) if isinstance(child, RegNode)]
    out = "| address | register | bits | access | what |\n|---|---|---|---|---|\n"
    for register in own:
        text = prose(register)
        out += (
            f"| {address(register)} | `{register.inst_name}` | {register.get_property('regwidth')} "
            f"| {access(register)} | {title(register)}. {text} |\n"
        )
    out += "\n"
    for register in own:
        fields = list(register.fields())
        if len(fields) == 1 and fields[0].width == register.get_property("regwidth"):
            continue
        out += f"{'#' * level} `{register.inst_name}`, {address(register)}\n\n"
        out += "| bits | field | access | reset | what |\n|---|---|---|---|---|\n"
        for field in fields:
            encode, reset = field.get_property("encode"), field.get_property("reset")
            text = prose(field)
            if encode is not None:
                name = encode.type_name.removesuffix("_e").replace("_", " ")
                text += f" Values: see [{name}](#{name.replace(' ', '-')})."
            value = "" if reset is None else f"{reset:#x}" if reset > 9 else str(reset)
            out += f"| {bits(field)} | `{field.inst_name}` | {field_access(field)} | {value} | {text} |\n"
        out += "\n"
    for child in children(node):
        if not isinstance(child, RegNode):
            array = f" (n = 0 to {child.n_elements - 1})" if child.is_array else ""
            out += f"{'#' * (level - 1)} {title(child)}{array}\n\n{prose(child)}\n\n"
            out += markdown_block(child, level)
    return out


def markdown(top: AddrmapNode, source: Path) -> str:
    """The page of the book."""
    out = (
        f"<!-- {SPDX} -->\n<!-- Made by tools/regs.py from {shown(source)}: change that file. -->\n"
    )
    out += f"# {title(top)}\n\n"
    for paragraph in re.split(r"\n\s*\n", top.get_property("desc")):
        out += "\n".join(textwrap.wrap(" ".join(paragraph.split()), 118)) + "\n\n"
    out += "## Registers\n\n" + markdown_block(top, 3)
    values = enums(top)
    if values:
        out += "## Values\n\n"
    for encode in values:
        out += f"### {encode.type_name.removesuffix('_e').replace('_', ' ')}\n\n"
        out += "| value | name | meaning |\n|---|---|---|\n"
        for member in encode:
            out += f"| {member.value} | `{member.name}` | {' '.join(member.rdl_desc.split())} |\n"
        out += "\n"
    return out.rstrip() + "\n"


# --- the program ---


def outputs(source: Path) -> dict[Path, str]:
    """Everything that one description gives."""
    top = compiled(source)
    name = source.stem
    if top.inst_name != name or source.parent.name != "regs":
        fail(f"{shown(source)}: the address map {top.inst_name} wants to be in cores/{top.inst_name}/regs/{top.inst_name}.rdl")  # fmt: skip
    rtl = source.parent.parent / "rtl"
    files = {rtl / file: text for file, text in systemverilog(top, source).items()}
    files[ROOT / f"crates/wire/src/{name}/regs.rs"] = rust(top, source)
    files[ROOT / f"docs/src/{name}-registers.md"] = markdown(top, source)
    return files


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE.rdl")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    args = parser.parse_args()
    sources = [p.resolve() for p in args.files] or sorted(ROOT.glob("cores/*/regs/*.rdl"))
    stale = []
    for source in sources:
        if not source.is_file():
            fail(f"{source}: no such file; wanted is a SystemRDL description")
        for path, text in outputs(source).items():
            if path.is_file() and path.read_text() == text:
                continue
            stale.append(shown(path))
            if not args.check:
                path.write_text(text)
                print(f"regs: wrote {shown(path)}")
    if args.check and stale:
        print(f"not what the description gives: {', '.join(stale)}; run make regs")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
