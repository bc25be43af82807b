"""What a disk may hold after the power failed: the recorder of calls, and the model."""
