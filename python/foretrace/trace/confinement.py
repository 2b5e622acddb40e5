"""What a process made for one untrusted program may no longer do.

Resource limits bound what it uses; an audit hook refuses what it could change. The hook is CPython's own
view, good against programs that are wrong or careless. It is no wall against one that attacks the
interpreter; put a container around the service for that.
"""

from __future__ import annotations

import _thread
import os
import resource
import sys
import threading

OPEN_FILES = 32
PROCESSES = 64

# Events whose first argument (and second, for two paths) is a path that must lie in the scratch folder.
_ONE_PATH = frozenset({'os.mkdir', 'os.rmdir', 'os.remove', 'os.truncate', 'os.utime', 'os.chmod', 'os.chdir',
                       'sqlite3.connect'})
_TWO_PATHS = frozenset({'os.rename'})
# Their last argument is an open folder that a relative path starts from, or -1.
_WITH_FOLDER = frozenset({'os.mkdir', 'os.rmdir', 'os.remove', 'os.utime', 'os.chmod'})
_REFUSED = frozenset({
    'os.fork', 'os.forkpty', 'os.exec', 'os.posix_spawn', 'os.spawn', 'os.system', 'os.startfile', 'os.kill',
    'os.killpg', 'os.link', 'os.symlink', 'os.chown', 'os.lockf', 'os.chflags', 'os.setxattr', 'os.removexattr',
    'os.add_dll_directory', 'pty.spawn', 'signal.pthread_kill', '_thread.start_new_thread',
    '_thread.start_joinable_thread', 'resource.setrlimit', 'resource.prlimit', 'fcntl.fcntl', 'fcntl.ioctl',
    'fcntl.flock', 'fcntl.lockf', 'sys.addaudithook', 'sys._setaudithook',
    'cpython.run_interactivehook', 'shutil.chown', 'webbrowser.open',
})
_REFUSED_FAMILIES = ('socket.', 'subprocess.', 'ctypes.', 'syslog.', 'winreg.', 'ftplib.', 'smtplib.', 'urllib.',
                     'http.client.', 'poplib.', 'imaplib.', 'nntplib.', 'telnetlib.', 'msvcrt.')
# Modules in C that change things outside without an audit event.
_REFUSED_MODULES = frozenset({'_ctypes', 'ctypes', '_posixshmem', '_multiprocessing', '_gdbm', '_dbm', 'readline',
                              '_xxsubinterpreters', '_interpreters', '_testcapi', '_testinternalcapi'})
_UNAUDITED = ('mkfifo', 'mknod', 'chroot', 'setuid', 'setgid', 'seteuid', 'setegid', 'setreuid', 'setregid',
              'setresuid', 'setresgid', 'setgroups', 'initgroups', 'setsid', 'setpgid', 'setpriority', 'nice',
              'sched_setaffinity', 'sched_setscheduler', 'sched_setparam', 'memfd_create', 'pidfd_open', 'unshare',
              'setns', 'closerange', 'dup2', 'tcsetpgrp', 'posix_openpt', 'openpty', 'login_tty')
# asyncio wakes its loop through a pair of these; to connect or bind one is refused.
_UNIX_SOCKET = 1
_WRITE_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def limit_resources(cpu_seconds: int, memory_bytes: int, file_bytes: int) -> None:
    """Set the process limits. Lowers each, never raises one that is already tighter."""
    _lower(resource.RLIMIT_CPU, cpu_seconds)
    _lower(resource.RLIMIT_AS, memory_bytes)
    _lower(resource.RLIMIT_FSIZE, file_bytes)
    _lower(resource.RLIMIT_NOFILE, OPEN_FILES)
    _lower(resource.RLIMIT_CORE, 0)
    # Root is not bound by it, and a user may already run more than this: then it only refuses forks.
    _lower(resource.RLIMIT_NPROC, PROCESSES)


def _lower(kind: int, value: int) -> None:
    hard = resource.getrlimit(kind)[1]
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    resource.setrlimit(kind, (value, value))


def refuse_changes(scratch: str) -> None:
    """From now on this process writes below `scratch` only and starts nothing. Cannot be undone."""
    root = os.path.realpath(scratch)
    inside = os.path.join(root, '')
    realpath, fspath, fsdecode, join = os.path.realpath, os.fspath, os.fsdecode, os.path.join

    def require_inside(path: object, event: str, folder: object = None) -> None:
        if isinstance(path, int) or path is None:
            raise PermissionError(f'{event} is refused here')
        base = root if folder in (None, -1) else _folder_of(folder, event)
        real = realpath(join(base, fsdecode(fspath(path))))
        if real != root and not real.startswith(inside) and (event != 'writing' or real != os.devnull):
            raise PermissionError(f'{event} outside the scratch folder is refused here')

    def check_open(path: object, mode: object, flags: object) -> None:
        writes = isinstance(flags, int) and flags & _WRITE_FLAGS
        if isinstance(mode, str) and any(letter in mode for letter in 'wax+'):
            writes = True
        if writes:
            require_inside(path, 'writing')

    def hook(event: str, arguments: tuple) -> None:
        if event == 'open':
            check_open(*arguments)
        elif event == 'import':
            if arguments[0] in _REFUSED_MODULES:
                raise PermissionError(f'importing {arguments[0]} is refused here')
        elif event == 'socket.__new__' and arguments[1] == _UNIX_SOCKET:
            pass
        elif event in _REFUSED or event.startswith(_REFUSED_FAMILIES):
            raise PermissionError(f'{event} is refused here')
        elif event in _ONE_PATH:
            require_inside(arguments[0], event, arguments[-1] if event in _WITH_FOLDER else None)
        elif event in _TWO_PATHS:
            require_inside(arguments[0], event, arguments[2])
            require_inside(arguments[1], event, arguments[3])

    _replace_unaudited()
    sys.addaudithook(hook)


def _folder_of(handle: object, event: str) -> str:
    """The path of an open folder. Only Linux tells; elsewhere such a path is relative to anywhere."""
    try:
        return os.readlink(f'/proc/self/fd/{handle}')
    except OSError:
        raise PermissionError(f'{event} relative to an open folder is refused here') from None


def _replace_unaudited() -> None:
    def refuse(*positional: object, **named: object) -> None:
        raise PermissionError('this is refused here')

    import posix
    real_open = posix.open

    def open_below(path: object, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        # The audit event of `open` does not tell the folder.
        if dir_fd is not None and flags & _WRITE_FLAGS:
            raise PermissionError('writing relative to an open folder is refused here')
        return real_open(path, flags, mode, dir_fd=dir_fd)

    posix.open = os.open = open_below
    # What `os` says it supports is asked by `shutil.rmtree`, which deletes below open folders.
    os.supports_dir_fd.add(open_below)
    # Not audited: `subprocess` is, but `multiprocessing` calls this one directly.
    import _posixsubprocess
    _posixsubprocess.fork_exec = refuse
    for module in (os, posix):
        for name in _UNAUDITED:
            if hasattr(module, name):
                setattr(module, name, refuse)
    # Audited, but some versions drop the refusal of the hook; `threading` copies the name when it is imported.
    for name in ('start_new_thread', 'start_new', 'start_joinable_thread'):
        if hasattr(_thread, name):
            setattr(_thread, name, refuse)
    for name in ('_start_new_thread', '_start_joinable_thread'):
        if hasattr(threading, name):
            setattr(threading, name, refuse)
