"""The rules of scripts/check. A rule is a function from a Tree to a list of complaints."""
