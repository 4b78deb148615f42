"""One match at one table.

Read in this order:
- `inputs`: what camera, buttons and phones send
- `match`: the one writer
- `referee`: from a reading to an entry or a question
- `people`: seats, objections, calls
- `present` and `audience`: what each seat sees
- `thinker`: hints, in a thread of their own
- `secrets`: hands that only one phone may show
"""
