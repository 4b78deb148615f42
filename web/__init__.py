"""The phones: pages, answers and the stream of whole views. No build step, nothing from the internet.

The way of a request: `server.serve` runs `app.create_app(door)` on gevent's WSGI server. `pages` gives the page, whose
script asks `stream` for `/state` once and then listens to `/events`. Taps go through `do`, which identifies the phone
by `phones`. Words pass through `words.translate`. A page decides nothing: it draws a `MatchView`.
"""
