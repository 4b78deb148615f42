"""One match at one table.

Read in this order:
- `inputs`: what camera, buttons and phones send
- `match`: the one writer
- `referee`: from a reading to an entry or a question
- `lost_seats`: phones that have lost their seat
- `people`: seats, objections, calls, and hands that only one phone may show
- `present`: what each seat sees
- `audience`: the streams of the phones, and the thread of the hints
"""
