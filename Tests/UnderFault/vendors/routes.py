"""Which cards the worker may show, by the routes that it said to have set."""

# The first words of the ids of the cards, by the name of a route.
KINDS = {"braze": {"card"}, "atomic": {"action"}, "both": {"card", "action"}, "none": set()}


class Routes:
    def __init__(self, books):
        self.books = books
        # More than one after a kill during a change.
        self.possible = {"both"}

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
            self.possible = {route}

    def shown(self, ids):
        kinds = {id.split(".")[0] for id in ids} & KINDS["both"]
        allowed = set().union(*(KINDS[route] for route in self.possible))
        for kind in sorted(kinds - allowed):
            self.books.finding("an item %s is shown by the route %s" % (kind, sorted(self.possible)))
