"""The functions that ``cel/1`` adds to CEL. Their meaning is in ``libs/rules/vectors/host``."""
