"""Perfect matchings of the least cost, exactly, through rustworkx (a blossom algorithm on whole numbers)."""

from collections.abc import Sequence

import rustworkx

Cost = tuple[int, ...]
"""Criteria, the most important first, each 0 or more. Sums are compared lexicographically."""
Edge = tuple[int, int, Cost]
MOST_BITS = 120
"""rustworkx computes in 128 bits, and doubles weights on its way."""


def cheapest(count: int, edges: Sequence[Edge]) -> list[tuple[int, int]]:
    """A maximum matching of `count` vertices with the minimum sum of costs; a vertex is in one pair at most.

    >>> cheapest(4, [(0, 1, (0, 9)), (2, 3, (0, 9)), (0, 2, (1, 0)), (1, 3, (0, 0))])
    [(0, 1), (2, 3)]
    """
    if not edges:
        return []
    graph = rustworkx.PyGraph(multigraph=False, node_count_hint=count, edge_count_hint=len(edges))
    graph.add_nodes_from(range(count))
    weights = _weights([cost for _, _, cost in edges], count // 2)
    graph.add_edges_from([(a, b, weight) for (a, b, _), weight in zip(edges, weights, strict=True)])
    pairs = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    return sorted((min(pair), max(pair)) for pair in pairs)


def _weights(costs: Sequence[Cost], pairs: int) -> list[int]:
    """One weight per cost: more is better, and an earlier criterion outweighs all later ones. The last are rounded."""
    worst = [max(column) for column in zip(*costs, strict=True)]
    factors, digits = [1] * len(worst), 1
    coarse = [0] * len(worst)
    for level, most in enumerate(worst):
        room = MOST_BITS - (digits - 1).bit_length()
        while most >> coarse[level] and ((most >> coarse[level]) * pairs + 1).bit_length() > room:
            coarse[level] += 1
        factors[level] = (most >> coarse[level]) * pairs + 1
        digits *= factors[level]
    scale = [1] * len(worst)
    for level in range(len(worst) - 2, -1, -1):
        scale[level] = scale[level + 1] * factors[level + 1]
    top = sum((most >> shift) * by for most, shift, by in zip(worst, coarse, scale, strict=True)) + 1
    if any(coarse):
        return [
            top - sum((part >> shift) * by for part, shift, by in zip(cost, coarse, scale, strict=True))
            for cost in costs
        ]
    return [top - sum(map(int.__mul__, cost, scale)) for cost in costs]
