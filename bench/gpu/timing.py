"""Device times of several functions, taken in turns; ratios with intervals."""

import random
import statistics

import torch


def capture(function, sets, calls):
    """A CUDA graph of `calls` calls function(i), i going round the buffer sets."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for index in range(sets):
            function(index)
    torch.cuda.current_stream().wait_stream(stream)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    kept = []
    with torch.cuda.graph(graph):
        for index in range(calls):
            # Results stay alive, or the pool would give the next call the same memory: an unfair, cached write.
            kept.append(function(index % sets))
    graph.replay()
    torch.cuda.synchronize()
    return graph


def interleaved(graphs, calls, rounds):
    """Microseconds a call for each graph, one value a round; every round runs all, in an order of its own."""
    chance, times = random.Random(1), {name: [] for name in graphs}
    for _ in range(rounds):
        order = list(graphs)
        chance.shuffle(order)
        events = {}
        for name in order:
            events[name] = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            events[name][0].record()
            graphs[name].replay()
            events[name][1].record()
        torch.cuda.synchronize()
        for name, (begin, end) in events.items():
            times[name].append(begin.elapsed_time(end) * 1e3 / calls)
    return times


def ratio(first, second, samples=2000):
    """median(first) / median(second) and its 95 % bootstrap interval over the rounds."""
    chance, rounds, ratios = random.Random(1), range(len(first)), []
    for _ in range(samples):
        drawn = [chance.choice(rounds) for _ in rounds]
        ratios.append(statistics.median(first[i] for i in drawn) / statistics.median(second[i] for i in drawn))
    ratios.sort()
    return statistics.median(first) / statistics.median(second), ratios[samples * 25 // 1000], ratios[samples * 975 // 1000 - 1]
