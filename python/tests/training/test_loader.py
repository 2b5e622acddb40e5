"""Rows that come again: how often, in which order, and what a stream that ends means."""

import threading
import unittest

from tests.training.support import needs_torch, torch

if torch is not None:
    from foretrace.training.loader import DirectLoader, Pools, ThreadedLoader


class _Numbers:
    """A stream of numbers; it fails after `length` of them, and gives more only while `open` is set."""

    def __init__(self, length=1 << 30):
        self.position, self.length, self.open = (0, 0), length, threading.Event()
        self.open.set()

    def take(self, count):
        self.open.wait(10)
        first = self.position[1]
        if first >= self.length:
            raise RuntimeError("stream_worker: lost")
        self.position = (0, first + count)
        return list(range(first, first + count))

    def stop(self):
        self.length = 0
        self.open.set()

    def close(self):
        pass


@needs_torch
class LoaderTest(unittest.TestCase):
    def threaded(self, stream, **options):
        loader = ThreadedLoader(stream, list, 16, **options)
        self.addCleanup(loader.close)
        return loader

    def test_direct_and_threaded_give_the_stream_in_order(self):
        for loader in (DirectLoader(_Numbers(), list), self.threaded(_Numbers())):
            updates = [loader.next(16) for _ in range(5)]
            self.assertEqual([n for u in updates for n in u.batches], list(range(80)))
            self.assertEqual(updates[-1].position, (0, 80))
            self.assertEqual([(u.fresh, u.reused) for u in updates], [(16, 0)] * 5)

    def test_pipes_are_closed_when_nobody_reads_them_any_more(self):
        stream = _Numbers()
        stream.open.clear()
        loader = self.threaded(stream)
        running = []
        stream.close = lambda: running.append(loader.threads[0].is_alive())
        loader.close()
        self.assertEqual(running, [False])

    def test_pools_give_each_row_so_often_and_in_an_order_that_repeats(self):
        def taken():
            pools = Pools(3, 8, seed=5)
            pools.add(list(range(8)))
            pools.add(list(range(8, 16)))
            return pools.take(100)

        found = taken()
        self.assertEqual(found, taken())
        self.assertEqual(sorted(found), sorted(list(range(16)) * 2))
        self.assertNotEqual(found[:8], sorted(found[:8]))
        once = Pools(1, 8, 5)
        once.add(list(range(8)))
        self.assertEqual(once.take(4), [])

    def test_a_stream_that_fails_is_an_error_or_leaves_old_rows(self):
        loader = self.threaded(_Numbers(32))
        self.assertEqual(len(loader.next(16).batches) + len(loader.next(16).batches), 32)
        with self.assertRaisesRegex(RuntimeError, "lost"):
            loader.next(16)
        loader = self.threaded(_Numbers(64), reuse=2, pool_rows=16)
        seen = [n for _ in range(20) for n in loader.next(16).batches]
        self.assertEqual(len(seen), 320)
        self.assertEqual(set(seen), set(range(64)))


if __name__ == "__main__":
    unittest.main()
