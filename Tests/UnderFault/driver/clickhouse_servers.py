"""ClickHouse servers on free ports, which know each other as the cluster `two`."""

import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

from driver import stopping

PROGRAM = "/usr/sbin/clickhouse-server"
# What to do where it is not there.
ABSENCE = "install the package clickhouse-server (Debian)"
# How long a server may take until it answers.
LIMIT = 60


def are_installed():
    return os.access(PROGRAM, os.X_OK)


class ClickHouseServers:
    """So many servers, which end with this. Each has the same tables of its own."""

    def __init__(self, count):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="engage-clickhouse-"))
        self.processes = []
        # All are reserved at the same time, so that no two are equal.
        reserved = [socket.create_server(("127.0.0.1", 0)) for _ in range(3 * count)]
        numbers = [each.getsockname()[1] for each in reserved]
        for each in reserved:
            each.close()
        # The ports for HTTP, for other servers of the cluster, and for replicas.
        self.ports, self.native, self.replicas = (numbers[place::3] for place in range(3))

    def __enter__(self):
        try:
            for server in range(len(self.ports)):
                self.start(server)
            for server in range(len(self.ports)):
                self.wait(server)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.wait()
            stopping.GROUPS.discard(process.pid)
        shutil.rmtree(self.folder, ignore_errors=True)

    def hosts(self):
        """The servers as an address names them."""
        return ",".join("127.0.0.1:%d" % port for port in self.ports)

    def start(self, server):
        own = self.folder / str(server)
        for name in ["data", "tmp"]:
            (own / name).mkdir(parents=True)
        (own / "users.xml").write_text(USERS)
        shards = "".join(
            "<shard><replica><host>127.0.0.1</host><port>%d</port></replica></shard>" % port
            for port in self.native)
        (own / "config.xml").write_text(CONFIGURATION.format(
            own=own, http=self.ports[server], tcp=self.native[server], replica=self.replicas[server],
            shards=shards))
        process = subprocess.Popen(
            [PROGRAM, "--config-file=%s/config.xml" % own], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        stopping.GROUPS.add(process.pid)
        self.processes.append(process)

    def wait(self, server):
        end = time.monotonic() + LIMIT
        while time.monotonic() < end and self.processes[server].poll() is None:
            try:
                query(self.ports[server], "SELECT 1")
                return
            except OSError:
                time.sleep(0.02)
        errors = self.folder / str(server) / "errors.log"
        raise RuntimeError("clickhouse-server does not start: %s" % (
            errors.read_text()[-500:] if errors.exists() else "it has no log"))


def query(port, text):
    """What a server prints. An error has what the server says."""
    try:
        with urllib.request.urlopen("http://127.0.0.1:%d/" % port, text.encode()) as answer:
            return answer.read().decode()
    except urllib.error.HTTPError as error:
        raise RuntimeError(error.read().decode(errors="replace")[:500]) from error


CONFIGURATION = """<yandex>
  <logger><level>warning</level><log>{own}/server.log</log><errorlog>{own}/errors.log</errorlog></logger>
  <http_port>{http}</http_port><tcp_port>{tcp}</tcp_port>
  <interserver_http_port>{replica}</interserver_http_port>
  <listen_host>127.0.0.1</listen_host><interserver_http_host>127.0.0.1</interserver_http_host>
  <path>{own}/data/</path><tmp_path>{own}/tmp/</tmp_path>
  <users_config>users.xml</users_config>
  <default_profile>default</default_profile><default_database>default</default_database>
  <mark_cache_size>67108864</mark_cache_size>
  <remote_servers><two>{shards}</two></remote_servers>
</yandex>
"""
USERS = """<yandex>
  <profiles><default/></profiles>
  <users><default><password></password><networks><ip>127.0.0.1</ip></networks>
    <profile>default</profile><quota>default</quota></default></users>
  <quotas><default/></quotas>
</yandex>
"""
