"""Which cards the worker may show, by the routes that it said to have set and the stages of its migration."""

# The first words of the ids of the cards, by the name of a route. The last two are those of a migration.
KINDS = {"braze": {"card"}, "atomic": {"action"}, "both": {"card", "action"}, "none": set(),
         "shadow": {"card"}, "split": {"card", "action"}}
# The route of a stage. Without a migration it is the one before, which is Braze's alone, or any that was set since.
STAGES = {"off": "braze", "shadow": "shadow", "canary": "split", "ramp": "split", "cutover": "atomic",
          "drain": "atomic"}


def route_of(stage):
    """The name of the route at a stage such as `canary-40`."""
    return STAGES.get(stage.partition("-")[0])


class Routes:
    def __init__(self, books):
        self.books = books
        # More than one after a kill during a change.
        self.possible = {"both"}
        self.stages = {"off-0"}
        # The route that the worker found at its start.
        self.found = None

    def line(self, word, route):
        with self.books.lock:
            if word == "try":
                self.possible.add(route)
                # What the former route showed need not be shown any more.
                self.books.people.last = None
                return
            if word == "found" and route not in self.possible:
                self.books.finding(
                    "the route is %s, and may be %s" % (route, sorted(self.possible)))
            if word == "set":
                self.books.count("routes set")
            if word == "found":
                self.found = route
            self.possible = {route}

    def stage(self, word, stage):
        """A step of the migration, which decides the route."""
        with self.books.lock:
            if word == "try":
                self.stages.add(stage)
                self.possible.add(route_of(stage))
                self.books.people.last = None
                return
            if word == "found":
                self._found(stage)
            else:
                self.books.count("migration steps")
                self.possible = {route_of(stage)}
            self.stages = {stage}

    def _found(self, stage):
        if stage not in self.stages:
            self.books.finding("the stage is %s, and may be %s" % (stage, sorted(self.stages)))
        is_moved = self.found in ("shadow", "split")
        if stage == "off-0" and is_moved or stage != "off-0" and self.found != route_of(stage):
            self.books.finding("the route is %s at the stage %s" % (self.found, stage))

    def shown(self, ids):
        kinds = {id.split(".")[0] for id in ids} & KINDS["both"]
        allowed = set().union(*(KINDS[route] for route in self.possible))
        for kind in sorted(kinds - allowed):
            self.books.finding("an item %s is shown by the route %s" % (kind, sorted(self.possible)))
