"""The phones: pages, answers and the stream of whole views. No build step, nothing from the internet.

- `site`: what table and hub share: server, limits, static files, languages; `site.phones` says whose phone it is.
- `table`: the table's pages. `table.app` makes the application, `table.pages` gives a page. Its script asks
  `table.stream` for `/state` and then listens to `/events`. It also takes the taps.
- `hub`: the pages of an event.
- `words`: translation.

A page decides nothing: it draws a `MatchView`.
"""
