// The outlines of the four vendors stand in their folders.
