"""The phones: pages, answers and the stream of whole views. No build step, nothing from the internet.

- `site`: the server, its limits and streams, for the table and the hub. `site.app` makes the table's application.
- `table`: the table's pages. `table.pages` gives a page. Its script asks `site.stream` for `/state` and then listens
  to `/events`. `table.do` takes the taps, and `table.phones` says whose phone it is.
- `hub`: the pages of an event.
- `words`: translation.

A page decides nothing: it draws a `MatchView`.
"""
