// The outlines of vendors stand in their folders.
