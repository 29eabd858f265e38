"""Generated subjects: small concurrent programs with one bug of known kind and depth, which nobody has tuned a search on."""
