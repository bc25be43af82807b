// The outline adapters of each vendor are in its folder.
