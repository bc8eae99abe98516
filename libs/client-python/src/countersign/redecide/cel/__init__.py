"""The expression language ``cel/1`` of rules: a subset of CEL with functions of its own (``libs/rules``, README)."""
