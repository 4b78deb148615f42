"""center point: the declaration. Rules in `rules`, what the eyes say in `reading`, what phones show in `view`."""
