"""One match at one table.

Read in this order:
- `inputs`: what camera, buttons and phones send
- `match`: the one writer
- `referee`: from a reading to an entry or a question
- `people`: seats, objections, calls, and hands that only one phone may show
- `present`: what each seat sees
- `audience`: the streams of the phones, and the thread of the hints
"""
