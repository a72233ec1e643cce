"""What a service is put together with: dependencies, handlers, a consumer, and the order in which all of it closes."""

from wakuwaku.service.builder import ServiceBuilder
from wakuwaku.service.handler_set import HandlerSet
from wakuwaku.service.running import Service
from wakuwaku.service.services import Services

__all__ = ["HandlerSet", "Service", "ServiceBuilder", "Services"]
