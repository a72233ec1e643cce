"""Files to raw schema: TOML values with their places, checked against the table of keys the language has."""

from wakuwaku_gen.load.folder import Document, Folder, load_folder
from wakuwaku_gen.load.nodes import Array, Broken, Node, Scalar, Table

__all__ = ["Array", "Broken", "Document", "Folder", "Node", "Scalar", "Table", "load_folder"]
