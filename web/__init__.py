"""The phones: `create_app(match)`, pages, answers and the stream of whole views. No build step, no internet."""
