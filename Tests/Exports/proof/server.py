"""The same events as rows of a ClickHouse cluster, whose comparison has the figures of the files."""

import json

from proof.scene import Failed

from driver.clickhouse_servers import ABSENCE, ClickHouseServers, are_installed, query

missing = None if are_installed() else "without a comparison on ClickHouse servers: %s" % ABSENCE

PLAN = {
    "name": "welcome", "arms": {"control": 0.5, "treatment": 0.5}, "control": "control",
    "metrics": ["click", {"name": "clicks", "events": "click", "per": "impression"}],
    "schedule": {"fixed": {"people": 100}}, "lookBackDays": 7}


def served(scene, watch, count, own, answer):
    """Exports to two servers, and compares there. The figures are `own`, and those of an experiment."""
    scene.path("plan.json").write_text(json.dumps(PLAN))
    report = ["experiment", "report", "plan.json"]
    local = answer(watch("report from the cache", scene.json, *report))
    with ClickHouseServers(2) as servers:
        address = "clickhouse://%s/default?cluster=two" % servers.hosts()
        export = ["export", "--cursor", "rows", "--to", address]
        if watch("export to two servers", scene.json, *export)["events"] != count:
            raise Failed("an export to ClickHouse has not sent every event")
        again = scene.json(*export)
        if again["events"] or again["through"] != again["after"]:
            raise Failed("a second export to ClickHouse sends something: %r" % again)
        shares = [int(query(port, "SELECT count() FROM events_local")) for port in servers.ports]
        if sum(shares) != count or not all(shares):
            raise Failed("%d events are on the servers as %r" % (count, shares))
        if answer(watch("compare on two servers", scene.json, "compare", "--from", address)) != own:
            raise Failed("compare --from clickhouse:// has other figures than the cache")
        if answer(watch("report from two servers", scene.json, *report, "--from", address)) != local:
            raise Failed("experiment report --from clickhouse:// has other figures than the cache")
    return "two servers have %s events, and the figures of the cache" % " and ".join(map(str, shares))
