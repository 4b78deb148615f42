"""Eyes of the Emperor: the declaration; `rules` judge, `reading` infers from the eyes, `view` is what phones show."""
