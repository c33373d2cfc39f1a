import _thread, functools, gc, os, queue, sys, threading, weakref
from concurrent.futures import ThreadPoolExecutor, CancelledError
from multiprocessing.pool import ThreadPool

class Odd:
    def __eq__(self, other): raise RuntimeError('compared')
    def __hash__(self): raise RuntimeError('hashed')
    def __getattr__(self, name):
        if name == '__name__': raise AttributeError(name)
        raise RuntimeError(name)
    def __call__(self, *a): seen.append(len(a))
    def method(self, *a): seen.append(-len(a))
seen = []
def run(f, *a):
    t = threading.Thread(target=f, args=a); t.start(); t.join()
run(Odd(), 1, 2); run(Odd().method, 1); run(functools.partial(Odd(), 1)); run(seen.append, 7)
class Own(threading.Thread):
    def run(self): seen.append('own'); self.inner = threading.Thread(target=seen.append, args=('in',)); self.inner.start(); self.inner.join()
o = Own(); o.start(); o.join()
print(seen)
for bad in ((), (1,), (print,), (print, 1), (print, (), 1)):
    try: _thread.start_new_thread(*bad)
    except TypeError as e: print(type(e).__name__, e)
try: o.start()
except RuntimeError as e: print(e)

# Work items die when they would, and nothing is kept of them.
class Token: pass
def hold(token): return weakref.ref(token)
with ThreadPoolExecutor(2) as pool:
    token = Token(); ref = pool.submit(hold, token).result(); del token
    pool.submit(int).result(); pool.submit(int).result(); gc.collect()
    print('dead', ref() is None)
pool = ThreadPoolExecutor(1)
gate = threading.Event(); first = pool.submit(gate.wait)
rest = [pool.submit(hold, Token()) for _ in range(5)]

pool.shutdown(wait=False, cancel_futures=True); gate.set(); first.result()
print('cancelled', sum(f.cancelled() for f in rest))
def fail(): raise KeyError('in work')
with ThreadPoolExecutor(1) as pool:
    try: pool.submit(fail).result()
    except KeyError as e: print(repr(e), e.__traceback__.tb_next is not None)
    try: pool.submit(sys.exit, 3).result()
    except SystemExit as e: print('exit', e.code)
with ThreadPool(2) as p:
    print(p.map(abs, [-1, -2]), p.apply(max, (1, 2)), list(p.imap_unordered(abs, [-3])))
def broken(): raise ValueError
pool = ThreadPoolExecutor(1, initializer=broken)
try: pool.submit(int).result()
except Exception as e: print(type(e).__name__)

# The queues of others.
q = queue.SimpleQueue(); q.put(1); q.put(item=2, block=False); q.put_nowait(3)
print(q.get(), q.get(block=True, timeout=None), q.get_nowait(), q.qsize(), queue.SimpleQueue.put, q.get.__qualname__)
for call in (q.get_nowait, q.put, lambda: q.get(timeout=-1)):
    try: call()
    except Exception as e: print(type(e).__name__, e)

# Many threads, more than are kept in mind at once; a child that was forked with threads.
ts = [threading.Thread(target=int) for _ in range(300)]
[t.start() for t in ts]; [t.join() for t in ts]
stay = threading.Event()
keeper = threading.Thread(target=stay.wait, daemon=True); keeper.start()
import warnings; warnings.simplefilter('ignore')
sys.stdout.flush()
pid = os.fork()
if pid == 0:
    run(seen.append, 'child')
    with ThreadPoolExecutor(1) as pool: pool.submit(seen.append, 'pooled').result()
    print(seen[-2:]); sys.stdout.flush(); os._exit(0)
print('status', os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
# The interpreter ends while daemons run.
def spin():
    while True: pass
threading.Thread(target=spin, daemon=True).start()
threading.Timer(3600, spin).daemon = True
