"""The pages of an event: organiser's desk, players' phones, big screen, printouts, exports, the JSON API.

`app.create_hub_app(desk)` makes them; `who` knows whose device asks and what it may; `site` is what the routes share.
Then a file a reader: `public` (everybody), `player` (a phone of an entrant), `staff` (referees and organisers),
`papers` (PDF), `api` (programs) with `openapi`. Pages are whole without a stream: `newsroom` tells them that
there is something new, and players' phones what.
"""
