"""Pictures of the Parameters tab."""
