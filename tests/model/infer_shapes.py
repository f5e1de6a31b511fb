"""Says what the ONNX library infers of models.

A line of standard input is a model: its path, then sizes of its symbols (NAME=SIZE), separated by tabs.
For each it prints "model", then a line a value ("value", name, element type, sizes separated by commas,
"?" for one that is not known), then "end"; or "refused" and why. A symbol "die" is for the tests of the
tests. What the file itself says of results is
taken out first, so that everything printed follows from the operators.
"""

import os
import sys

import onnx
from onnx import shape_inference

TYPES = {
    1: "float32", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", 6: "int32", 7: "int64", 9: "bool",
    10: "float16", 11: "float64", 12: "uint32", 13: "uint64", 14: "complex64", 15: "complex128",
    16: "bfloat16",
}


def say(*words):
    print("\t".join(words), flush=True)


def inferred(path, sizes):
    model = onnx.load(path, load_external_data=False)
    for domain in model.opset_import:
        if domain.domain == "" and domain.version > onnx.defs.onnx_opset_version():
            raise ValueError("operators that the library is too old for")
    for node in model.graph.node:
        # The standard's default is 1, the library's inference takes 0.
        if node.op_type == "STFT" and not any(a.name == "onesided" for a in node.attribute):
            node.attribute.append(onnx.helper.make_attribute("onesided", 1))
    for given in model.graph.input:
        for dim in given.type.tensor_type.shape.dim:
            if dim.dim_param in sizes:
                dim.dim_value = sizes[dim.dim_param]
    del model.graph.value_info[:]
    for result in model.graph.output:
        result.type.tensor_type.ClearField("shape")
    return shape_inference.infer_shapes(model, data_prop=True)


def main():
    for line in sys.stdin:
        path, *binds = line.rstrip("\n").split("\t")
        sizes = {name: int(size) for name, size in (bind.rsplit("=", 1) for bind in binds)}
        say("model")
        if "die" in sizes:
            os.abort()
        try:
            graph = inferred(path, sizes).graph
        except Exception as error:  # whatever it cannot take
            say("refused", str(error).split("\n")[0].replace("\t", " "))
            continue
        for value in [*graph.value_info, *graph.output]:
            tensor = value.type.tensor_type
            if not tensor.HasField("shape") or any(c in value.name for c in "\t\n"):
                continue
            dims = [str(d.dim_value) if d.HasField("dim_value") and d.dim_value >= 0 else "?"
                    for d in tensor.shape.dim]
            say("value", value.name, TYPES.get(tensor.elem_type, "?"), ",".join(dims))
        say("end")


main()
