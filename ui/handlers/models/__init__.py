"""What is computed for the model picker."""
