"""Values and simulation: what stands on the table, and how it falls. Imports no other package of topple."""
