from collections.abc import Sequence
from typing import Any, Optional, Union

class Kernel:
    shape: tuple[int, ...]
    out_shape: tuple[int, ...]
    axes: tuple[int, ...]
    itemsize: int
    threads: Optional[int]
    def __init__(
        self,
        shape: Sequence[int],
        dtype: Any,
        axes: Optional[Union[str, Sequence[int]]] = None,
        *,
        threads: Optional[int] = None,
    ) -> None: ...
    @property
    def is_compiled(self) -> bool: ...
    def __call__(self, src: Any, out: Optional[Any] = None) -> Any: ...

def compile(
    shape: Sequence[int],
    dtype: Any,
    axes: Optional[Union[str, Sequence[int]]] = None,
    *,
    threads: Optional[int] = None,
) -> Kernel: ...
def explain(
    shape: Sequence[int], dtype: Any, axes: Optional[Union[str, Sequence[int]]] = None
) -> str: ...
