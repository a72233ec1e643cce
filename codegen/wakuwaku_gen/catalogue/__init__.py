"""What a schema says to people and to other tools: a catalogue in Markdown, a document in AsyncAPI."""

from wakuwaku_gen.catalogue.asyncapi import asyncapi_document
from wakuwaku_gen.catalogue.pages import render_catalogue

__all__ = ["asyncapi_document", "render_catalogue"]
