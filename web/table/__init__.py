"""The pages of one table. `app.create_app` puts them together.

- Play: `pages` (seats, scoreboard), `stream` (what phones get and send), `invited` (who may sit down), `hand`, `house`
- Around a match: `start`, `setup`, `doctor`, `virtual`
- After a match: `score_sheet`, `replay`, `book`
"""
