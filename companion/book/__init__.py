"""The household's book: who played what with whom, and how it ended.

Read in this order:
- `play`: one match in numbers, from its log
- `facts`: people, groups, leagues and plays elsewhere, entered in a log of the book's own
- `book`: all of it, with the numbers of finished logs kept in SQLite
- `figures`: a person's, a game's, an evening's and a year's figures
- `ratings`: a rating for each game, with its uncertainty
- `exchange`: plays of other programs, in and out
- `removal`: takes a person out of every log
"""
