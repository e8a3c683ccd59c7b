"""For authors of competitions: a folder that works from the start, and trying it end to end."""
