"""Answers that are not learned in rows: texts, lists, masks, paths and the like, a module each."""
