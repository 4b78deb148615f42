"""The pages of one table: seats, play, set-up, sheet, virtual table."""
