"""Profiles tables: reads them, looks at every value, and says what is odd about them."""
