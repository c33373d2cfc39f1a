# networkx 3.2 -> 3.2.1: a loop between equal nodes that are not identical counts as triangles
import networkx as nx
graph = nx.Graph()
corners = [tuple([0, n]) for n in range(3)]
for one, other in ((0, 1), (1, 2), (2, 0)):
    graph.add_edge(corners[one], corners[other])
graph.add_edge(corners[0], tuple([0, 0]))
found = nx.triangles(graph)
assert list(found.values()) == [1, 1, 1], found
