"""The household's book: who played what with whom, and how it ended.

Read in this order:
- `play`: one match in numbers, from its log
- `facts`: what people tell the book (names, groups, leagues, plays elsewhere), entries of a log of its own
- `book`: all of it, with the numbers of finished logs kept in SQLite
- `figures`: what the pages show about a person, a game, an evening and a year
- `ratings`: a rating for each game, with its uncertainty
- `exchange`: plays of other programs, in and out
- `removal`: takes a person out of every log
"""
