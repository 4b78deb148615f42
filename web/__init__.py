"""The phones: pages, answers and the stream of whole views. No build step, nothing from the internet.

The way through: `server.serve` runs `app.create_app(door)` on waitress; `pages` gives the page, whose script asks
`stream` for `/state` once and then listens to `/events`; what a person taps goes through `do`, which knows by
`phones` whose phone it is. Words pass through `words.translate`. A page decides nothing: it draws a `MatchView`.
"""
