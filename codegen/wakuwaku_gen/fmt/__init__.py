"""Put schema files into the one form: order of keys, spelling of laws, spaces. Every comment stays.

Law: formatting twice is formatting once, and the schema means the same before and after.
"""

from wakuwaku_gen.fmt.text import format_schema
from wakuwaku_gen.fmt.work import Formatted, Formatting, format_paths

__all__ = ["Formatted", "Formatting", "format_paths", "format_schema"]
