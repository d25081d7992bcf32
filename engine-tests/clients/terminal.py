"""A program at a pseudo-terminal, as somebody at a keyboard has it."""

import os
import pty
import re
import select
import subprocess
import time

from harness import LIVENESS, Hang, engine_command


class Terminal:
    def __init__(self, *arguments, cwd):
        master, slave = pty.openpty()
        self._master = master
        self.process = subprocess.Popen(
            [*engine_command(), *arguments], stdin=slave, stdout=slave, stderr=slave, cwd=cwd, start_new_session=True, preexec_fn=_control
        )
        os.close(slave)
        self.text = ""

    def type(self, line):
        os.write(self._master, line.encode() + b"\n")

    def interrupt(self):
        """Presses Ctrl-C."""
        os.write(self._master, b"\x03")

    def until(self, *wanted):
        """Reads on until one of these texts comes; returns what came up to and with it, without colours."""
        end = time.monotonic() + LIVENESS
        while True:
            places = [self.text.find(text) + len(text) for text in wanted if text in self.text]
            if places:
                seen, self.text = self.text[: min(places)], self.text[min(places) :]
                return seen
            if not self._read(end - time.monotonic()):
                raise Hang(f"none of {wanted} came, but: {self.text}")

    def end(self):
        """Waits for the end; returns the exit status and the rest of what was said."""
        end = time.monotonic() + LIVENESS
        while self._read(end - time.monotonic()):
            pass
        return self.process.wait(LIVENESS), self.text

    def _read(self, seconds):
        if not select.select([self._master], [], [], max(seconds, 0.0))[0]:
            return False
        try:
            data = os.read(self._master, 1 << 16)
        except OSError:  # the other end is closed
            return False
        text = data.decode("utf-8", "replace").replace("\r\n", "\n")
        self.text += re.sub("\x1b\\[[0-9;]*[mK]", "", text)
        return bool(data)

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self._master)


def _control():
    """Makes the pseudo-terminal the controlling one, so that Ctrl-C reaches the program."""
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
