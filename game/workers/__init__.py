"""Worker processes and clusters behind one executor, and lines that show long work going on."""
