"""What happens while the program runs: records, tiers, entries, the driver."""
