"""The pages of an event: organiser's desk, players' phones, big screen, printouts, exports, the JSON API.

`app.create_hub_app(desk)` makes them; `who` identifies the device of a request and its rights; `site` holds the routes'
shared objects. Then there is a file for each kind of reader:
- `public`: everybody
- `player`: a phone of an entrant
- `staff`: referees and organisers
- `papers`: pages to print, files
- `api`: programs

Pages work without a stream. `newsroom` tells pages when something is new, and sends players' phones the content.
"""
